"""The class of examples that readers of data sets make."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class InputExample:
    """Texts that belong together, and their label."""

    guid: str = ""
    texts: Sequence[str] = field(default_factory=list)
    label: "int | float" = 0

    def __str__(self) -> str:
        return f"<InputExample> label: {self.label}, texts: {'; '.join(self.texts)}"
