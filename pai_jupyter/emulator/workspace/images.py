"""Official images, and images added by users. Labels say what an image is for."""

import re

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import objects, text, workspace
from pai_jupyter.emulator.calls.pagination import flag, in_pages, ordered, words
from pai_jupyter.emulator.calls.tables import WORKSPACE
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id
from pai_jupyter.emulator.workspace.catalogue import official_images

_SERVICE = aiworkspace.SERVICE
_KIND = "images"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,49}")


@WORKSPACE.serves(aiworkspace.LIST_IMAGES)
async def list_images(call: ApiCall) -> Fields:
    images = [image for image in _visible(call) if _fits(call, image)]
    page = in_pages(call, "Images", ordered(call, images, {"gmtcreatetime": "GmtCreateTime"}))
    shown = page["Images"]
    assert isinstance(shown, list)
    return page | {"Images": [_shown(call, image) for image in shown if isinstance(image, dict)]}


@WORKSPACE.serves(_SERVICE.operation("GetImage", "GET /images/{image_id}"))
async def get_image(call: ApiCall) -> Fields:
    return _shown(call, _one(call))


@WORKSPACE.serves(_SERVICE.operation("AddImage", "POST /images"))
async def add_image(call: ApiCall) -> Fields:
    name, now = text(call, "Name"), stamp()
    if not _NAME.fullmatch(name):
        raise invalid("Name", name, "1 to 50 lower-case letters, digits and hyphens that begin with a letter")
    if call.world.records(_KIND).rows({"Name": name}):
        raise ApiRefusal(409, "ImageNameExists", f"there is an image {name!r} already")
    image_id = text(call, "ImageId", default=new_id("image-"))
    call.world.records(_KIND).put(
        image_id,
        {
            **{
                key: value
                for key, value in call.body.items()
                if key in ("Description", "Size", "SourceId", "SourceType")
            },
            "ImageId": image_id,
            "Name": name,
            "ImageUri": text(call, "ImageUri"),
            "Accessibility": text(call, "Accessibility", default="PRIVATE"),
            "WorkspaceId": workspace(call, call.body.get("WorkspaceId")),
            "UserId": call.account,
            "ParentUserId": call.account,
            "GmtCreateTime": now,
            "GmtModifiedTime": now,
            "Labels": [*_labels(call)],
        },
    )
    return {"ImageId": image_id}


@WORKSPACE.serves(_SERVICE.operation("RemoveImage", "DELETE /images/{image_id}"))
async def remove_image(call: ApiCall) -> Fields:
    _own(call)
    call.world.records(_KIND).remove(call.path["image_id"])
    return {}


@WORKSPACE.serves(_SERVICE.operation("AddImageLabels", "POST /images/{image_id}/labels", is_repeatable=True))
async def add_image_labels(call: ApiCall) -> Fields:
    image, added = _own(call), _labels(call)
    if not added:
        raise missing("Labels")
    keys = {label["Key"] for label in added}
    kept = [label for label in _labels_of(image) if label["Key"] not in keys]
    call.world.records(_KIND).change(call.path["image_id"], Labels=[*kept, *added], GmtModifiedTime=stamp())
    return {}


@WORKSPACE.serves(_SERVICE.operation("ListImageLabels", "GET /image/labels"))
async def list_image_labels(call: ApiCall) -> Fields:
    """List each label once: of one image, or of all images that have every label of `LabelFilter`."""
    keys, wanted = words(call, "LabelKeys"), _wanted(call, "LabelFilter")
    images = [
        image
        for image in _visible(call)
        if call.query.get("ImageId") in (None, "", image["ImageId"])
        and all(_has(image, key, value) for key, value in wanted)
    ]
    labels = {
        (str(label["Key"]), str(label["Value"])): label
        for image in images
        for label in _labels_of(image)
        if not keys or label["Key"] in keys
    }
    found = [label for _, label in sorted(labels.items())]
    return {"Labels": [*found], "TotalCount": len(found)}


def _visible(call: ApiCall) -> list[Fields]:
    """Return the official images, and users' images if the call names the workspace; `WorkspaceId=0` names none."""
    official = official_images(call.world.region, call.world.account_id)
    asked = call.query.get("WorkspaceId")
    if asked in (None, "", "0"):
        return official
    workspace(call, asked)
    return official + list(call.world.records(_KIND).all())


def _fits(call: ApiCall, image: Fields) -> bool:
    name, wanted = str(image["Name"]), call.query.get("Name", "")
    is_exact = call.query.get("Options") == "ExactMatchName"
    searched = f"{name}\n{image.get('Description', '')}".lower()
    return (
        (wanted in ("", name) if is_exact else wanted.lower() in name.lower())
        and call.query.get("Query", "").lower() in searched
        and call.query.get("ImageUri") in (None, "", image["ImageUri"])
        and call.query.get("Accessibility") in (None, "", image["Accessibility"])
        and all(_has(image, key, value) for key, value in _wanted(call, "Labels"))
    )


def _has(image: Fields, key: str, value: str) -> bool:
    return any(label["Key"] == key and value in ("*", label["Value"]) for label in _labels_of(image))


def _wanted(call: ApiCall, name: str) -> list[tuple[str, str]]:
    pairs = [word.partition("=") for word in words(call, name)]
    if any(not equals for _, equals, _ in pairs):
        raise invalid(name, call.query[name], "KEY=VALUE,KEY=VALUE")
    return [(key, value) for key, _, value in pairs]


def _labels(call: ApiCall) -> list[Fields]:
    labels = objects(call, "Labels")
    if not all(isinstance(label.get("Key"), str) and isinstance(label.get("Value"), str) for label in labels):
        raise invalid("Labels", call.body["Labels"], "a list of {Key, Value}")
    return labels


def _labels_of(image: Fields) -> list[Fields]:
    labels = image["Labels"]
    assert isinstance(labels, list)
    return [label for label in labels if isinstance(label, dict)]


def _shown(call: ApiCall, image: Fields) -> Fields:
    """Return the image as in a list: with its labels only if `Verbose` is set."""
    return image if flag(call, "Verbose") else {**image, "Labels": []}


def _one(call: ApiCall) -> Fields:
    wanted = call.path["image_id"]
    official = official_images(call.world.region, call.world.account_id)
    image = next((image for image in official if image["ImageId"] == wanted), call.world.records(_KIND).get(wanted))
    if image is None:
        raise ApiRefusal(404, "ImageNotFound", f"there is no image {wanted[:100]!r}")
    return image


def _own(call: ApiCall) -> Fields:
    image = _one(call)
    if "WorkspaceId" not in image:
        raise ApiRefusal(403, "Forbidden.OfficialImage", "an official image belongs to PAI")
    return image
