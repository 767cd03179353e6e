"""The part of Model for tokens, hidden states and the tasks of its heads."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from . import _engine
from .asynchronous import twin
from .errors import InvalidArgumentError, check_choice, check_integer, check_text, checked_ids, checked_list
from .label_tasks import LabelTasks
from .redaction import Redaction
from .runs import Pair, Progress, Texts, checked_pairs, is_pair, pair_of, results, single, split_into_words
from .text_runs import TASKS, checked_text, described
from .types import OFFSET_UNITS

if TYPE_CHECKING:
    from .types import Answer, FillMaskOptions, FloatArray, Hidden, MaskCandidate, OffsetUnit, Ranked
    from .types import RerankOptions, TokenOptions, Tokens


class ClosedEngine:
    """Replaces the engine of a closed model; every use is an error."""

    def __getattr__(self, name: str) -> Any:
        raise InvalidArgumentError("the model is closed")


class TaskModel(LabelTasks, Redaction):
    """The part of Model that does not make vectors of texts."""

    @property
    def max_length(self) -> int:
        """The number of tokens, special ones included, to which texts are cut by default."""
        return self._engine.max_length

    @property
    def similarity_function(self) -> str:
        """The function that compares vectors: "cosine", "dot", "euclidean" or "manhattan"."""
        return self._engine.similarity

    @property
    def labels(self) -> list[str | None]:
        """The labels of the model's classification head, in the order of its outputs."""
        return self._engine.labels

    @property
    def threads(self) -> int:
        """The most threads that a forward pass uses."""
        return self._engine.threads

    def describe(self) -> dict[str, Any]:
        """Returns where the model comes from and how it computes: source, isa, kernel, precision, threads,
        packed_bytes, reproducible."""
        return self._engine.describe()

    @overload
    def tokens(
        self, text: "str | Pair", *, is_split_into_words: Literal[False] = ..., **options: "Unpack[TokenOptions]"
    ) -> "Tokens": ...

    @overload
    def tokens(
        self,
        text: "list[str] | list[Pair] | list[str | Pair]",
        *,
        is_split_into_words: Literal[False] = ...,
        **options: "Unpack[TokenOptions]",
    ) -> "list[Tokens]": ...

    @overload
    def tokens(
        self,
        text: "list[str] | tuple[str, ...]",
        *,
        is_split_into_words: Literal[True],
        **options: "Unpack[TokenOptions]",
    ) -> "Tokens": ...

    @overload
    def tokens(
        self,
        text: "list[list[str]] | list[tuple[str, ...]]",
        *,
        is_split_into_words: Literal[True],
        **options: "Unpack[TokenOptions]",
    ) -> "list[Tokens]": ...

    def tokens(
        self,
        text: "str | Pair | Sequence[str | Pair | Sequence[str]]",
        *,
        max_length: int | None = None,
        offsets: "OffsetUnit" = "code_points",
        is_split_into_words: bool = False,
    ) -> "Tokens | list[Tokens]":
        """Returns the tokens of a text or a pair: their strings, ids, and offsets [tokens, 2] in the text. For several,
        a list.

        offsets: the unit of the offsets. Python slices a str by code_points, JavaScript and Java by utf16.
        is_split_into_words: `text` is the list of a text's words. Then word_ids are indices into the list, and offsets
        are relative to the word.
        """
        check_choice("offsets", offsets, OFFSET_UNITS)
        options = self._options(None, "", max_length, 0)
        options.set_tokenize()
        if isinstance(text, tuple) and not is_pair(text) and not is_split_into_words:
            raise TypeError("found tuple, expected a str or a tuple of two, or a list of such")
        given = split_into_words(text) if is_split_into_words else Texts(text, pair_is_single=True)
        found: list[Tokens] = [
            {
                "tokens": result.tokens(),
                "ids": result.ids(),
                "type_ids": result.type_ids(),
                "special_tokens_mask": result.special_tokens_mask(),
                "word_ids": result.word_ids(),
                "offsets": result.offsets(offsets),
                "truncated_tokens": result.truncated_tokens,
            }
            for result in results(self._engine, given, options)
        ]
        return found[0] if given.is_single else found

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> str:
        """Returns the text of token ids."""
        return self._engine.decode(checked_ids("ids", ids), skip_special_tokens)

    def added_special_tokens(self, pair: bool = False) -> int:
        """Returns how many special tokens are added to a text, or to a pair."""
        return self._engine.added_special_tokens(pair)

    def token_ids(
        self, text: "str | Pair", *, add_special_tokens: bool = True, max_length: int | None = None
    ) -> tuple[list[int], list[int]]:
        """Returns the ids and type ids of a text or a pair of any length. max_length: cuts to this many tokens, special
        ones included."""
        return self._engine.token_ids(*_given(text, max_length), add_special_tokens, max_length or 0)

    def token_places(
        self, text: "str | Pair", *, add_special_tokens: bool = True, max_length: int | None = None
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Returns the place of each token of token_ids, text[begin:end], and a mask that is 1 for special tokens."""
        return self._engine.token_places(*_given(text, max_length), add_special_tokens, max_length or 0)

    def token_id(self, token: str) -> int | None:
        """Returns the id of a token of the vocabulary or an added token; None for any other text."""
        check_text("token", token)
        return self._engine.token_id(token)

    @property
    def vocabulary_size(self) -> int:
        """The largest id plus one."""
        return self._engine.vocabulary_size

    @property
    def special_tokens(self) -> dict[str, int | None]:
        """The ids of the special tokens: pad (padding), mask, unk (unknown), and cls and sep, which enclose a text;
        None for a token that the model does not have."""
        ids = self.tokens("")["ids"].tolist()
        around = ids if len(ids) == 2 else (None, None)
        found = {"pad": self._engine.pad_token_id, "mask": self._engine.mask_token_id}
        return {**found, "unk": self._engine.unknown_token_id, "cls": around[0], "sep": around[1]}

    def hidden(
        self,
        text: "str | Pair | Sequence[str]",
        *,
        states: bool = False,
        attentions: bool = False,
        contacts: bool = False,
        max_length: int | None = None,
        is_split_into_words: bool = False,
    ) -> "Hidden":
        """Returns the encoder's outputs for a text or a pair.

        The outputs are last_hidden_state, [tokens, hidden], and pooler_output, [hidden]; with `states` also
        hidden_states, [layers + 1, tokens, hidden]; with `attentions` also attentions, [layers, heads, tokens, tokens];
        with `contacts` also contacts, [tokens - 2, tokens - 2], the probability that two residues of a protein touch,
        by an ESM model.
        is_split_into_words: `text` is the list of a text's words.
        """
        options = self._options(None, "", max_length, 0)
        options.set_encode(states, attentions, contacts)
        result = self._one(text, options, is_split_into_words)
        return {
            "tokens": result.tokens(),
            "last_hidden_state": result.last_hidden_state(),
            "pooler_output": result.pooler_output(),
            "hidden_states": result.hidden_states(),
            "attentions": result.attentions(),
            "contacts": result.contacts(),
        }

    def hidden_of_ids(self, sequences: Iterable[Iterable[int]]) -> "list[FloatArray]":
        """Returns the last hidden states, [tokens, hidden], of each sequence of token ids. The ids must include special
        tokens."""
        listed = checked_list("sequences", sequences, "sequences of ids")
        return self._engine.hidden_of_ids([checked_ids(f"sequences[{i}]", ids) for i, ids in enumerate(listed)])

    @described("answer")
    def answer(
        self, question: str, context: str, *, offsets: "OffsetUnit" = "code_points", **options: Any
    ) -> "list[Answer]":
        """Returns the parts of the context that answer the question, best first. offsets: the unit of start and end."""
        check_choice("offsets", offsets, OFFSET_UNITS)
        pair = Texts([(checked_text(question), checked_text(context))])
        (result,) = self._run_task("answer", options, pair)
        found: list[Answer] = result.output(offsets)
        return found

    @described("fill_mask")
    def fill_mask(self, text: str, **options: "Unpack[FillMaskOptions]") -> "list[list[MaskCandidate]]":
        """Returns for each mask of the text the tokens that fit best, with their probabilities. No mask is cut off."""
        (result,) = self._run_task("fill_mask", options, single(text))
        found: list[list[MaskCandidate]] = result.output()
        return found

    def task(self, name: str, texts: Any, *, offsets: "OffsetUnit" = "code_points", **options: Any) -> Any:
        """Runs a task by its name, such as "next_sentence", and returns what it finds in each text or pair; for a
        single str or tuple of two, one result. docs/TASKS.md has the tasks and their options. Tasks that compare texts
        have methods of their own."""
        check_choice("name", name, [one for one, task in TASKS.items() if not task["ranks"]])
        check_choice("offsets", offsets, OFFSET_UNITS)
        given = Texts(texts, pair_is_single="pair" in TASKS[name]["reads"])
        found = [result.output(offsets) for result in self._run_task(name, options, given)]
        return found[0] if given.is_single else found

    def largest_token_logits(self, texts: Iterable[str]) -> "Iterator[FloatArray]":
        """Yields an array [vocab] for each text: the largest logit of the masked-LM head for each token of the
        vocabulary, over all places of the text. The vectors of SPLADE are made from these logits."""
        options = self._options(None, "", None, 0, head="masked_lm")
        for result in results(self._engine, Texts(texts), options):
            yield result.logits().max(axis=0)

    def predict(
        self,
        pairs: Iterable[Pair],
        *,
        prompt_name: str | None = None,
        prompt: str | None = None,
        show_progress_bar: bool = False,
    ) -> "FloatArray":
        """Returns how well the two texts of each pair fit, by a one-label classifier: [pairs].

        prompt_name, prompt: the name of one of the model's prompts, or any text; it is put before each first text.
        Without both, the prompt that the model's files name is used.
        """
        import numpy as np

        if len(self.labels) != 1:
            raise InvalidArgumentError(f"expected a classifier of one label; this model has {len(self.labels)}")
        scores = self.pair_scores(
            pairs, prompt_name=prompt_name, prompt=prompt, show_progress_bar=show_progress_bar
        )
        return np.array([score[0] for score in scores], dtype=np.float32)

    def pair_scores(
        self,
        pairs: Iterable[Pair],
        *,
        activated: bool = True,
        prompt_name: str | None = None,
        prompt: str | None = None,
        max_length: int | None = None,
        show_progress_bar: bool = False,
    ) -> "list[FloatArray]":
        """Returns a classifier's scores for each pair, [labels] each. The prompt is that of `predict`.

        activated: for a single label, the score after the activation that the model's files name, or after the sigmoid.
        With several labels the scores are always logits.
        """
        import numpy as np

        count = len(pairs) if isinstance(pairs, Sized) else None
        given = Texts(checked_pairs(pairs), count=count)
        options = self._options(prompt_name, prompt, max_length, 0, head="sequence_classification")
        progress = Progress(given.count) if show_progress_bar else None
        of_one_label = activated and len(self.labels) == 1
        return [
            np.array([result.relevance()], dtype=np.float32) if of_one_label else result.logits()[0]
            for result in results(self._engine, given, options, progress)
        ]

    @described("rerank", "query", "prompt_text")
    def rerank(
        self,
        query: str,
        documents: Iterable[str],
        *,
        prompt_name: str | None = None,
        prompt: str | None = None,
        return_documents: bool = False,
        **options: "Unpack[RerankOptions]",
    ) -> "list[Ranked]":
        """Sorts documents by how well they fit the query, best first. Returns dicts of corpus_id (the index), score and
        text.

        The model decides how. A one-label classifier reads each pair, and its logits give the order; a late-interaction
        model computes MaxSim; any other model compares vectors. prompt_name, prompt: as in `predict`; a model that
        compares vectors puts the prompt before each text. If a document is read in windows, its score is that of the
        best window.
        """
        kept = checked_list("documents", documents, "texts")
        before = self._prompt(prompt_name) if prompt is None and prompt_name is not None else prompt
        given = {"query": checked_text(query), "prompt_text": before, **options}
        scores = [result.output() for result in self._run_task("rerank", given, Texts(kept))]
        best = sorted(range(len(kept)), key=lambda i: -scores[i][1])[: options.get("top_k")]
        ranked: list[Ranked] = [{"corpus_id": i, "score": scores[i][0]} for i in best]
        if return_documents:
            for one in ranked:
                one["text"] = kept[one["corpus_id"]]
        return ranked

    # Each method as a coroutine, which runs in a thread; a cancelled call ends its run.
    atokens = twin(tokens)
    ahidden = twin(hidden)
    aanswer = twin(answer)
    afill_mask = twin(fill_mask)
    atask = twin(task)
    apredict = twin(predict)
    arerank = twin(rerank)


def _given(text: "str | Pair", max_length: int | None) -> tuple[bytes, bytes | None]:
    """Returns a text or a pair in UTF-8, for the engine."""
    texts = [text] if isinstance(text, str) else pair_of(text, 0)
    if max_length is not None:
        check_integer("max_length", max_length, 0)
    given = [one.encode("utf-8", "surrogatepass") for one in texts]
    return given[0], given[1] if len(given) == 2 else None
