"""Makes encode_query and encode_document from a class's encode."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Encode = TypeVar("Encode", bound=Callable[..., Any])

# For each role the names of its prompts; the first one that the model has is used.
PROMPTS = {"query": ("query",), "document": ("document", "passage", "corpus")}


def for_role(encode: Encode, role: str) -> Encode:
    """Returns a method that calls `encode` by the route of a role, with the role's prompt if none is given.

    The class's own `encode` gets every argument by name, as in sentence-transformers, so that a subclass that overrides
    `encode` works with both packages.
    """
    signature = inspect.signature(encode)

    @wraps(encode)
    def encode_role(self: Any, *places: Any, **options: Any) -> Any:
        bound = signature.bind(self, *places, **options)
        bound.apply_defaults()
        named = dict(list(bound.arguments.items())[1:])  # without self
        named |= named.pop("options")
        sentences = named.pop("sentences")  # an older name of inputs, which a subclass's encode need not know
        named["inputs"] = sentences if named["inputs"] is None else named["inputs"]
        if named["prompt_name"] is None and named["prompt"] is None:
            named["prompt_name"] = next((name for name in PROMPTS[role] if name in self.prompts), None)
        named["task"] = named["task"] or role
        return self.encode(**named)

    encode_role.__name__ = f"encode_{role}"
    encode_role.__qualname__ = f"{encode.__qualname__.rpartition('.')[0]}.encode_{role}"
    encode_role.__doc__ = f"""encode by the route "{role}", with the prompt "{role}" if none is given."""
    return cast(Encode, encode_role)
