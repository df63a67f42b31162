"""A real HDFS of Hadoop 2.7.3 on loopback: a name node and a data node, which `make hdfs` prepares."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

import httpx

from tests.support.hdfs import ask
from tests.support.needs import lacking, need_program
from tests.support.paths import ROOT

JARS = ROOT / ".venv-hdfs" / "jars"
_BESIDE = "jersey1-core jersey1-server jersey1-servlet jsr311-api asm-all"
DEBIAN = [Path("/usr/share/java", f"{name}.jar") for name in _BESIDE.split()]
STARTS_WITHIN = 120  # seconds
_SERVER = "org.apache.hadoop.hdfs.server"
_NAMES, _CONTENT = f"{_SERVER}.namenode.NameNode", f"{_SERVER}.datanode.DataNode"
_SUPERUSER = {**os.environ, "HADOOP_USER_NAME": "root"}  # may do everything, whoever runs the tests
_LOG = """log4j.rootLogger=WARN,A
log4j.appender.A=org.apache.log4j.ConsoleAppender
log4j.appender.A.layout=org.apache.log4j.PatternLayout
log4j.appender.A.layout.ConversionPattern=%d %p %c{2}: %m%n
"""


@dataclass(kw_only=True)
class RealHdfs:
    """A real HDFS in the directory `data`, and its processes."""

    data: Path
    ports: Mapping[str, int] = field(default_factory=dict)
    processes: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.ports['names_http']}/webhdfs/v1"

    @property
    def data_node(self) -> str:
        return f"localhost:{self.ports['content_http']}"

    def start(self) -> None:
        self.ports = _free_ports("names", "names_http", "content", "content_http", "content_ipc")
        for name in ("hdfs", "datanode"):
            (self.data / "webapps" / name / "WEB-INF").mkdir(parents=True)
            (self.data / "webapps" / name / "WEB-INF" / "web.xml").write_text("<web-app/>")
        (self.data / "log4j.properties").write_text(_LOG)
        (self.data / "core-site.xml").write_text(_xml({"fs.defaultFS": self._at("names", "hdfs://")}))
        settings = {
            "hadoop.tmp.dir": f"{self.data}/tmp",
            "dfs.replication": "1",
            "dfs.namenode.http-address": self._at("names_http"),
            "dfs.datanode.address": self._at("content"),
            "dfs.datanode.http.address": self._at("content_http"),
            "dfs.datanode.ipc.address": self._at("content_ipc"),
        }
        (self.data / "hdfs-site.xml").write_text(_xml(settings))
        subprocess.run(
            self._command(_NAMES, "-format", "-nonInteractive"), check=True, capture_output=True, env=_SUPERUSER
        )
        for main in (_NAMES, _CONTENT):
            self._start(main)
        self._wait()

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()

    def set_safe_mode(self, *, is_on: bool) -> None:
        words = self._command("org.apache.hadoop.hdfs.tools.DFSAdmin", "-safemode", "enter" if is_on else "leave")
        subprocess.run(words, check=True, capture_output=True, env=_SUPERUSER)

    @contextmanager
    def without_data_node(self) -> Iterator[None]:
        self.kill_data_node()
        try:
            yield
        finally:
            self.revive()

    def kill_data_node(self) -> None:
        self.processes[_CONTENT].kill()
        self.processes[_CONTENT].wait()

    def revive(self) -> None:
        self._start(_CONTENT)
        self._wait()

    def _start(self, main: str) -> None:
        with (self.data / f"{main.rpartition('.')[2]}.log").open("ab") as log:
            self.processes[main] = subprocess.Popen(self._command(main), stdout=log, stderr=log, env=_SUPERUSER)

    def _wait(self) -> None:
        """Wait until content can be stored."""
        ends = time.monotonic() + STARTS_WITHIN
        while not self._stores():
            assert time.monotonic() < ends, self._told()
            assert all(process.poll() is None for process in self.processes.values()), self._told()
            time.sleep(0.1)

    def _stores(self) -> bool:
        with suppress(httpx.TransportError):
            named = ask(self, "PUT", "started", "CREATE", overwrite="true")
            if named.status_code == 307:
                location = named.headers["location"]
                return httpx.put(location, content=b"yes", trust_env=False, timeout=30).status_code == 201
        return False

    def _told(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in self.data.glob("*.log"))

    def _command(self, main: str, *words: str) -> list[str]:
        classes = ":".join(map(str, [self.data, *DEBIAN, JARS / "*"]))
        opened = ["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xmx256m"]
        return [need_program("java"), *opened, "-cp", classes, main, *words]

    def _at(self, port: str, scheme: str = "") -> str:
        return f"{scheme}127.0.0.1:{self.ports[port]}"


def is_prepared() -> bool:
    """Return whether `make hdfs` has been run here."""
    return JARS.is_dir() and all(path.exists() for path in DEBIAN)


@contextmanager
def real_hdfs(data: Path) -> Iterator[RealHdfs]:
    """A real HDFS for the time of the block; the test is skipped where it is not prepared."""
    if not is_prepared():
        lacking("hdfs", "Hadoop's jars are not here", remedy="`make hdfs` fetches them")
    need_program("java")
    hdfs = RealHdfs(data=data)
    try:
        hdfs.start()
        yield hdfs
    finally:
        hdfs.end()


def _free_ports(*names: str) -> dict[str, int]:
    listening = [socket.create_server(("127.0.0.1", 0)) for _ in names]
    ports = {name: each.getsockname()[1] for name, each in zip(names, listening, strict=True)}
    for each in listening:
        each.close()
    return ports


def _xml(settings: Mapping[str, str]) -> str:
    rows = (
        f"<property><name>{name}</name><value>{escape(value)}</value></property>" for name, value in settings.items()
    )
    return f"<configuration>{''.join(rows)}</configuration>"
