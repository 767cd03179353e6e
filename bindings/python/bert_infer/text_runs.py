"""What every computation of texts shares: a run's options, its prompts, the checks of its arguments."""

from collections.abc import Sequence

from . import _engine
from .errors import InvalidArgumentError, check_integer, check_text
from .runs import Pair, Texts, results, split_into_words


def checked_text(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"found {type(text).__name__}, expected a str")
    return text


def check_top_k(top_k: object) -> None:
    if top_k is not None:
        check_integer("top_k", top_k, 1)


class TextRuns:
    """The part of Model that makes its runs."""

    def __init__(self, engine: _engine.Model) -> None:
        self._engine = engine

    @property
    def prompts(self) -> dict[str, str]:
        """The model's prompts by name."""
        return self._engine.prompts

    @property
    def default_prompt_name(self) -> str | None:
        """The name of the prompt that encode uses without prompt and prompt_name."""
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
        given = split_into_words(text) if is_split_into_words else Texts(text, pair_is_single=True)
        if not given.is_single:
            expected = "a list of str" if is_split_into_words else "a str or a tuple of two"
            raise TypeError(f"found {type(text).__name__}, expected {expected}")
        (result,) = results(self._engine, given, options)
        return result
