"""Reads JSON. The cases on which parsers differ are errors: duplicate keys, lone surrogates and byte order marks."""

import json
from typing import Any

from .errors import ConvertError, quoted
from .source_file import SourceFile

CONFIG_LIMIT_BYTES = 16 * 1024 * 1024
INDEX_LIMIT_BYTES = 32 * 1024 * 1024


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ConvertError(f"duplicate key {quoted(key)} in one object")
        result[key] = value
    return result


def _integer(digits: str) -> int:
    if len(digits) > 40:
        raise ConvertError(f"number {quoted(digits, 30)} is too large")
    return int(digits)


def parse_object(data: bytes, where: str) -> dict[str, Any]:
    """Return the JSON object in data. Errors begin with `where`, for example "header of 'model.safetensors'"."""
    try:
        text = data.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_object_without_repeats, parse_int=_integer)
        # An escape can be half a surrogate pair, which has no UTF-8 form. Most readers replace it silently.
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except ConvertError as error:
        raise ConvertError(f"{where}: {error}") from None
    except UnicodeDecodeError as error:
        raise ConvertError(f"{where} is not UTF-8 at byte {error.start}") from None
    except UnicodeEncodeError:
        raise ConvertError(f"{where} holds half a surrogate pair") from None
    except RecursionError:
        raise ConvertError(f"{where} is nested too deeply") from None
    except ValueError as error:
        raise ConvertError(f"{where} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ConvertError(f"{where} is not a JSON object")
    return value


def read_object(file: SourceFile, limit_bytes: int) -> dict[str, Any]:
    """Return the JSON object in file. A file larger than limit_bytes is rejected without reading it."""
    if file.size > limit_bytes:
        raise ConvertError(f"{quoted(file.path)} has {file.size} bytes, at most {limit_bytes} are read")
    return parse_object(file.read(0, file.size), quoted(file.path))
