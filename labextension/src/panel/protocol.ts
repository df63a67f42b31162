/**
 * What the side panel asks of the server, and what it is told. Types only, generated: `wire/schema.ts`.
 *
 *   over the WebSocket: request {id, kind, job: '', view, …}, answer {id, ok}, pushes {view, kind: 'jobs', seq, ...}
 *
 *   watch_jobs   mounts a view of the list, `bye` unmounts it. The first pushes bring all rows, the newest first, the
 *                last of them `is_whole`; later ones what changed. A gap in `seq` asks for `watch_jobs` again.
 *   sparks       the course of the metric that a row names, for the rows that are in sight
 *
 *   over REST, below pai-jupyter/api/
 *
 *   GET    jobs?text=&status=running,failed&backend=&notebook=&sort=&descending=&start=&limit=     JobsAnswer
 *   DELETE jobs/<id>                     {}
 *   GET    jobs/<id>/difference?to=<id>  DifferenceAnswer, of the two scripts, `to`'s being the newer
 *   GET    jobs/<id>/cell                CellAnswer, for a clone; refused where no cell is recorded
 *   POST   jobs/<id>/adopt               JobNamed: make a folder here for a job recorded elsewhere
 *   GET    jobs/<id>/annotations         AnnotationsAnswer; PATCH {name?, is_starred?, note?, add?, remove?}
 *   GET    backends?check=               BackendsAnswer
 *   GET    images?framework=&gpu=        ImagesAnswer
 *   GET    instances?gpu=                InstancesAnswer
 *   GET    tensorboards                  BoardsAnswer
 *   POST   tensorboards {jobs} | {uri}   opens one over all of these and answers with its BoardRow (`state` starting)
 *   DELETE tensorboards/<id>             stops it
 *   GET    storage?uri=&after=           StorageAnswer: a directory; without `uri` the places. `job:` lists the jobs,
 *                                        `job:<id>/<channel>/<path>` in a job folder, `oss://bucket/key` in OSS
 *   GET    storage/preview?uri=          PreviewAnswer, an image's bytes as the buffer of a frame
 *   GET    storage/file?uri=             a download
 *   PUT    storage/file?uri=             an upload: the body is the file; answers StoredEntry
 *   POST   storage/folder?uri=           StoredEntry
 *   DELETE storage?uri=                  a file, or a directory with all that is in it; answers Deleted
 *   GET    components?saved=             ComponentsAnswer: saved here, and registered in the workspace
 *   POST   components {form, files_of?, register?}          ComponentSaved
 *   GET    component?name=&version=&registered=             ComponentAnswer; DELETE answers ComponentsDeleted
 *   POST   component/problems {form, files_of?}             ComponentProblems, each sentence with its field
 *   POST   component/register {name, version?}              ComponentSaved
 *   POST   component/run {name, version?, registered?, ...} SubmitAnswer
 *   GET    jobfile?path=                 JobFileAnswer: what is wrong with a job file; its images, the clusters
 *   POST   jobfile/submit {path, cluster?}, jobfile/simulate {path, images?}   SubmitAnswer
 *   GET    clusters                      ClustersAnswer, the chosen one first; so do POST clusters {name, address, …},
 *                                        clusters/use {name}, clusters/login {name, password}, DELETE clusters?name=
 *   GET    clusters/check?name=          ClusterReportAnswer: the cluster is asked
 *   GET    runs?remote=                  RunsAnswer; DELETE runs/<id>, POST runs/<id>/stop, runs/<id>/rerun: RunNamed
 *   POST   report {jobs, path, title?, replace?}   ReportAnswer: written as a file below the server's root directory
 *   POST   cost {line}                   CostAnswer: what the job of a magic's line would cost
 *   POST   schema {cell, above?, numbers?}  SchemaAnswer
 *   POST   submit {cell, notebook?, values?}    SubmitAnswer: the cell, its magic's line included, as a job
 *
 * Rule 1: the list of jobs comes over the WebSocket that the views of jobs use, all else over REST.
 * Rule 2: as everywhere: times are seconds since the epoch, every text is hostile, an error is {type, message, hint}.
 */

export type {
  AnnotationsAnswer,
  AnnotationsChanged,
  BackendRow,
  BackendsAnswer,
  BoardRow,
  BoardsAnswer,
  CellAnswer,
  ChannelRow,
  ClusterReportAnswer,
  ClusterRow,
  ClustersAnswer,
  ComponentAnswer,
  ComponentForm,
  ComponentFormInput,
  ComponentFormOutput,
  ComponentFormParameter,
  ComponentNamed,
  ComponentProblemRow,
  ComponentProblems,
  ComponentRow,
  ComponentsAnswer,
  ComponentSaved,
  ComponentsDeleted,
  CostAnswer,
  DifferenceAnswer,
  HyperparameterRow,
  ImagesAnswer,
  InstancesAnswer,
  JobFileAnswer,
  JobRow,
  JobsAnswer,
  JobsPush,
  JobsSelection,
  PanelAnswers,
  PanelRequests,
  PreviewAnswer,
  ReportAnswer,
  RerunFormAnswer,
  RunNamed,
  RunRow,
  RunsAnswer,
  SchemaAnswer,
  TakenRow,
  StorageAnswer,
  StoredEntry,
  SubmitAnswer
} from '../wire/schema.js';
