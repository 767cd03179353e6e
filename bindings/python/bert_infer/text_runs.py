"""The common part of all computations on texts: a run's options, its prompts, and the checks of its arguments."""

import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from . import _engine
from .errors import InvalidArgumentError, check_choice, check_integer, check_text, checked_list, shown
from .runs import Pair, Texts, is_pair, results, single

Method = TypeVar("Method", bound=Callable[..., Any])

TASKS: dict[str, dict[str, Any]] = {task["name"]: task for task in json.loads(_engine.tasks_json())}


def options_of(task: str) -> dict[str, dict[str, Any]]:
    """Returns the options of a task by their names."""
    return {option["name"]: option for option in TASKS[task]["options"]}


def parts_checked(task: str, texts: Iterable[Any]) -> Iterator[Any]:
    """Yields the texts. Raises InvalidArgumentError for a pair that the task does not read, and where it is missing."""
    reads = TASKS[task]["reads"]
    for index, given in enumerate(texts):
        if is_pair(given) and "pair" not in reads:
            raise InvalidArgumentError(f"texts[{index}]: found a pair, expected none: {task} reads a {reads}")
        if isinstance(given, str) and reads == "pair":
            raise InvalidArgumentError(f"texts[{index}]: found no pair, expected one: {task} reads a {reads}")
        yield given


def described(task: str, *hidden: str) -> Callable[[Method], Method]:
    """Adds a task's options to the signature and documentation of a method that takes them by **options. Does not add
    `hidden` options, which the method takes in its own way."""

    def describe(method: Method) -> Method:
        signature = inspect.signature(method)
        own = {name: one for name, one in signature.parameters.items() if one.kind is not one.VAR_KEYWORD}
        options = [one for name, one in options_of(task).items() if name not in own and name not in hidden]
        parameters = list(own.values())
        for one in options:
            default = one.get("default", False if one["type"] == "flag" else None)
            parameters.append(inspect.Parameter(one["name"], inspect.Parameter.KEYWORD_ONLY, default=default))
        method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        method.__doc__ = (method.__doc__ or "").rstrip() + "\n\n" + "".join(
            f"        {one['name']}: {one['help']}.\n" for one in options
        )
        return method

    return describe


def _checked_option(name: str, option: dict[str, Any], value: Any) -> Any:
    """Returns the value of an option in the form that the engine takes."""
    kind = option["type"]
    if kind == "size":
        check_integer(name, value, int(option["least"]))
        return value.__index__()
    if kind == "number":
        if isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__"):
            raise InvalidArgumentError(f"{name}: found {type(value).__name__} {shown(value)}, expected a number")
        return float(value)
    if kind == "flag":
        if type(value).__name__ not in ("bool", "bool_"):
            raise InvalidArgumentError(f"{name}: found {type(value).__name__} {shown(value)}, expected True or False")
        return bool(value)
    if kind == "word":
        check_choice(name, value, option["words"])
    elif kind == "texts":
        return [checked_text(text) for text in checked_list(name, value, "texts")]
    elif not isinstance(value, bytes):
        check_text(name, value)
    return value


def task_options(task: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of a task in the form that the engine takes, without those that are None."""
    known = options_of(task)
    for name in given:
        if name not in known:
            raise TypeError(f"{task}() got an unexpected keyword argument {name!r}")
    return {name: _checked_option(name, known[name], one) for name, one in given.items() if one is not None}


def checked_text(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"found {type(text).__name__}, expected a str")
    return text


class TextRuns:
    """The part of Model that makes and runs computations on texts."""

    def __init__(self, engine: _engine.Model) -> None:
        self._engine = engine

    @property
    def prompts(self) -> dict[str, str]:
        """The model's prompts by name."""
        return self._engine.prompts

    @property
    def default_prompt_name(self) -> str | None:
        """The name of the prompt that `encode` uses if neither prompt nor prompt_name is given."""
        return self._engine.default_prompt_name or None

    def _options(
        self,
        prompt_name: str | None,
        prompt: str | None,
        max_length: int | None,
        batch_tokens: int,
        head: str | None = None,
    ) -> _engine.RunOptions:
        if max_length is not None:
            check_integer("max_length", max_length, 0)
        check_integer("batch_tokens", batch_tokens, 0)
        if prompt is not None:
            check_text("prompt", prompt)
        if prompt_name is not None:
            check_text("prompt_name", prompt_name)
        options = _engine.RunOptions()
        options.max_length = max_length
        options.batch_tokens = batch_tokens
        options.prompt_text = self._prompt(prompt_name) if prompt is None else prompt
        if head is not None:
            options.set_head(head)
        return options

    def _run_task(self, task: str, given: Mapping[str, Any], texts: Texts) -> Iterator[_engine.Result]:
        """Yields the result of each text by a task with these options."""
        options = self._options(None, "", None, 0)
        options.set_task(self._engine, task, task_options(task, given))
        texts.iterable = parts_checked(task, texts.iterable)
        return results(self._engine, texts, options)

    def _prompt(self, name: str | None) -> str:
        prompts = self.prompts
        name = name if name is not None else self.default_prompt_name
        if name is None:
            return ""
        if name not in prompts:
            expected = f"expected one of {', '.join(prompts)}" if prompts else "but the model has no prompts"
            raise InvalidArgumentError(f"prompt_name {name!r}, {expected}")
        return prompts[name]

    def _one(
        self, text: "str | Pair | Sequence[str]", options: _engine.RunOptions, is_split_into_words: bool = False
    ) -> _engine.Result:
        (result,) = results(self._engine, single(text, is_split_into_words), options)
        return result
