"""The class Model, which makes vectors of texts. The tasks are in tasks.py."""

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from . import _engine, hub, vectors
from .asynchronous import twin
from .errors import (
    InvalidArgumentError,
    Notice,
    check_choice,
    check_integer,
    check_text,
    checked_ids,
    checked_list,
    checked_path,
    notify,
)
from .forms import FormModel
from .runs import Progress, Report, Texts, all_vectors, is_null, results, vector_blocks, with_spans
from .tasks import ClosedEngine
from .types import VectorPrecision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .types import Chunks, EncodeOptions, FloatArray, KindVectors, SparseVector, Vectors


def _absolute(what: str, path: "str | os.PathLike[str] | None") -> str | None:
    """Makes a directory's path absolute, for a process with another working directory; returns a name unchanged."""
    name = None if path is None else checked_path(what, path)
    return os.path.abspath(name) if name is not None and os.path.isdir(name) else name


class Model(FormModel):
    """A BERT encoder with its tokenizer and heads. Immutable; any number of threads may use one at the same time.

    name_or_dir: a directory in the Hugging Face layout, or a model's name on the hub ("all-MiniLM-L6-v2",
    "BAAI/bge-small-en-v1.5"), which is looked up in the hub's local cache. A missing model is downloaded only if the
    package huggingface_hub is installed and HF_HUB_OFFLINE is not set. None: the built-in small English model.
    threads: for a forward pass, and for a run over many texts; 0: the CPUs that the process may use.
    precision: of the linear layers: "stored" (as in the files), "float32", "bfloat16", which rounds the factors of
    products, or "int8", which quantises while loading.
    revision: a branch, a tag or a commit of a model on the hub.
    task: the route ("query", "document") of a model with several routes.
    cache_folder: the hub's cache; by default that of huggingface_hub. local_files_only: nothing is downloaded.
    token: the hub's token, for models that may not be read without one.
    packing: whether the layers' weights are copied into memory of this process, in the order in which products read
    them. Short texts then take less time, and in 8 bits long texts too; the bits of the results stay the same.
    "automatic": packs when a pass of at most 128 tokens (in 8 bits: of any number) follows another pass and half of the
    free memory is enough, and never in a forked process. "never": does not pack. "always": packs in the first pass.
    Weights that are not packed are read as they are stored, and all processes share one copy.
    packed_bytes: the most memory for packed weights; with this argument the model packs in its first pass. `describe`
    says how much memory the packed weights take.
    encoder: for a GLiNER model whose directory lacks its encoder's configuration or tokenizer: a directory that has
    them, or a name in the hub's local cache.
    static_file: for a static model with both files, the file that says how to make vectors: "config", for config.json
    as model2vec reads it, or "modules", for modules.json as sentence-transformers reads it.
    adapter: an adapter (LoRA) of the model, as the package peft writes it: a directory, or a name in the hub's local
    cache. The adapter is merged into the weights in memory.
    max_words, max_width: for a GLiNER model, limits that replace its file's max_len (words of a text) and max_width
    (words of an entity).

    Raises bert_infer.Error if something is missing, malformed or unsupported. Notices about the model are warnings of
    the category bert_infer.Notice.
    """

    def __init__(
        self,
        name_or_dir: "str | os.PathLike[str] | None" = None,
        *,
        threads: int = 0,
        precision: Literal["stored", "float32", "bfloat16", "int8"] = "stored",
        revision: str = "main",
        task: str | None = None,
        cache_folder: "str | os.PathLike[str] | None" = None,
        local_files_only: bool = False,
        token: str | bool | None = None,
        packed_bytes: int = 0,
        packing: Literal["automatic", "never", "always"] = "automatic",
        encoder: "str | os.PathLike[str] | None" = None,
        static_file: Literal["config", "modules"] = "config",
        max_words: int | None = None,
        max_width: int | None = None,
        adapter: "str | os.PathLike[str] | None" = None,
    ) -> None:
        name = _absolute("name_or_dir", name_or_dir)
        cache = None if cache_folder is None else checked_path("cache_folder", cache_folder)
        check_integer("threads", threads, 0, 2**31 - 1)
        check_integer("packed_bytes", packed_bytes, 0)
        for what, limit in (("max_words", max_words), ("max_width", max_width)):
            if limit is not None:
                check_integer(what, limit, 1, 2**31 - 1)
        for what, text in (("precision", precision), ("revision", revision), ("task", task or ""),
                           ("static_file", static_file), ("packing", packing)):
            check_text(what, text)
        source = hub.Source(
            name, threads, precision, revision, task, cache, local_files_only, token, packed_bytes, packing,
            encoder=None if encoder is None else checked_path("encoder", encoder), static_file=static_file,
            max_words=max_words, max_width=max_width, adapter=_absolute("adapter", adapter),
        )
        self._load(source)

    def _load(self, source: hub.Source) -> None:
        self._source = source
        super().__init__(hub.load(source))
        for notice in self._engine.notices:
            notify(notice)

    def close(self) -> None:
        """Frees the weights when no run uses them; running calls go on. Any later call is an error. `with` calls this
        too."""
        self._engine = cast(_engine.Model, ClosedEngine())

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if isinstance(self._engine, ClosedEngine):
            return f"<Model {self._source.name or 'built-in'!r}, closed>"
        about = self.describe()
        return f"<Model {self._source.name or 'built-in'!r}, {about['precision']}, {about['threads']} threads>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles only the source, so that pickles are small and the process that reads one maps the same files."""
        return load_again, (type(self), self._source)

    def __copy__(self) -> "Model":
        """Returns the model itself, because a model never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Model":
        return self

    def embedding_size(self) -> int:
        """Returns the size of the vectors of `encode`."""
        return self._engine.embedding_size(_engine.RunOptions())

    @overload
    def encode(
        self,
        texts: "str | Iterable[str]",
        *,
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        output_value: Literal["sentence_embedding"] = ...,
        precision: VectorPrecision = ...,
        normalize_embeddings: bool = ...,
        truncate_dim: int | None = ...,
        max_length: int | None = ...,
        batch_tokens: int = ...,
        batch_size: int | None = ...,
        show_progress_bar: bool = ...,
    ) -> "Vectors": ...

    @overload
    def encode(
        self,
        texts: "str | Iterable[str]",
        *,
        prompt_name: str | None = ...,
        prompt: str | None = ...,
        output_value: Literal["token_embeddings"],
        max_length: int | None = ...,
        batch_tokens: int = ...,
        batch_size: int | None = ...,
        show_progress_bar: bool = ...,
    ) -> "FloatArray | list[FloatArray]": ...

    def encode(
        self,
        texts: "str | Iterable[str]",
        *,
        prompt_name: str | None = None,
        prompt: str | None = None,
        output_value: Literal["sentence_embedding", "token_embeddings"] = "sentence_embedding",
        precision: VectorPrecision = "float32",
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        max_length: int | None = None,
        batch_tokens: int = 0,
        batch_size: int | None = None,
        show_progress_bar: bool = False,
    ) -> "Vectors | list[FloatArray]":
        """Returns a vector for each text: an array [texts, size], or [size] for a single str.

        texts: a str, or any iterable of str. A generator is read while its texts are encoded, in the caller's thread.
        prompt_name, prompt: the name of one of the model's prompts, or any text; it is put before each text. Without
        both, the model's default prompt is used, if it has one.
        output_value: with "token_embeddings" the result is a list of arrays [tokens, hidden], or one array for a single
        str.
        precision: of the vectors. For int8 and uint8 the ranges are those of the returned vectors
        (bert_infer.vectors.quantize).
        normalize_embeddings: scales the vectors to length 1, also if the model does not do it.
        truncate_dim: keeps only this many numbers of each vector, the first ones.
        max_length: longer texts are cut to this number of tokens; default: Model.max_length. A Notice says how many
        were cut.
        batch_tokens: the most tokens of a forward pass; 0: the engine chooses. The results do not depend on it.
        batch_size: accepted for compatibility, without effect: batches are measured in tokens.
        """
        if batch_size is not None:
            check_integer("batch_size", batch_size, 1)
        check_choice("precision", precision, vectors.PRECISIONS)
        check_choice("output_value", output_value, ("sentence_embedding", "token_embeddings"))
        if output_value == "token_embeddings" and (precision, normalize_embeddings, truncate_dim) != (
            "float32",
            False,
            None,
        ):
            raise InvalidArgumentError(
                "precision, normalize_embeddings and truncate_dim are of sentence embeddings, not of token_embeddings"
            )
        given = Texts(texts)
        options = self._options(prompt_name, prompt, max_length, batch_tokens)
        progress = Progress(given.count) if show_progress_bar else None
        if output_value == "token_embeddings":
            before = options.prompt_text or ""  # the engine puts a prompt before texts only for embeddings
            options.set_encode()
            given.iterable = (before + text for text in given.iterable)
            rows = [result.last_hidden_state() for result in results(self._engine, given, options, progress)]
            return rows[0] if given.is_single else rows
        cut = self._set_size(options, normalize_embeddings, truncate_dim)
        embeddings: Vectors = all_vectors(self._engine, given, options, progress)
        if cut is not None:
            embeddings = embeddings[:, :cut].copy()  # so that the whole vectors do not stay in memory
        embeddings = vectors.quantize(embeddings, precision)
        return embeddings[0] if given.is_single else embeddings

    def encode_stream(
        self,
        texts: Iterable[str],
        *,
        prompt_name: str | None = None,
        prompt: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        max_length: int | None = None,
        batch_tokens: int = 0,
    ) -> "Iterator[FloatArray]":
        """Returns the vectors of `encode` one by one, [size] each, while the texts are read. The texts need not fit
        into memory.

        Texts are read a little ahead, only as many as keep the threads busy.
        """
        given = Texts(texts)
        options = self._options(prompt_name, prompt, max_length, batch_tokens)
        cut = self._set_size(options, normalize_embeddings, truncate_dim)
        for block in vector_blocks(self._engine, given, options):
            yield from block[:, :cut]

    def encode_reported(
        self,
        texts: Iterable[str | None],
        report: Report,
        *,
        prompt_name: str | None = None,
        prompt: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        max_length: int | None = None,
    ) -> "FloatArray":
        """Returns the vectors of `encode` and fills `report`. A null or a failed text has a row of NaN; no error is
        raised."""
        import numpy as np

        listed = [None if is_null(text) else text for text in checked_list("texts", texts, "texts")]
        settings = self._options(prompt_name, prompt, max_length, 0)
        cut = self._set_size(settings, normalize_embeddings, truncate_dim)
        given = Texts(["" if text is None else text for text in listed])
        rows: FloatArray = all_vectors(self._engine, given, settings, None, report)[:, :cut]
        nulls = np.array([text is None for text in listed], dtype=bool)
        rows[nulls] = np.nan
        report.nulls += int(nulls.sum())
        return rows

    def encode_query(self, texts: "str | Iterable[str]", **options: "Unpack[EncodeOptions]") -> "Vectors":
        """Calls `encode` with the model's prompt "query", if the model has it and no prompt is given."""
        return self.encode(texts, **self._with_prompt("query", options))

    def encode_document(self, texts: "str | Iterable[str]", **options: "Unpack[EncodeOptions]") -> "Vectors":
        """Calls `encode` with the first prompt that the model has of "document", "passage" and "corpus", if none is
        given."""
        return self.encode(texts, **self._with_prompt("document", options))

    def encode_chunks(
        self,
        texts: "str | Iterable[str]",
        *,
        tokens: int | None = None,
        sentences: bool = False,
        spans: "Iterable[Any] | None" = None,
        prompt_name: str | None = None,
        prompt: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        max_length: int | None = None,
        batch_tokens: int = 0,
        show_progress_bar: bool = False,
    ) -> "list[Chunks] | Chunks":
        """Returns a vector for each chunk of each text, by one pass over the whole text (late chunking).

        The result has a tuple for each text: the vectors, [chunks, size], and the places of the chunks, [chunks, 2]:
        text[begin:end]. For a single str it is one tuple.
        tokens: the most tokens of a chunk, without special tokens; chunks end at the ends of words.
        sentences: each chunk is a sentence, or with `tokens` as many whole sentences as fit.
        spans: the chunks themselves, instead of tokens and sentences: a list for each text, or one list for a single
        str.
        The model must pool over all tokens, and its attention must not be causal. The other arguments are those of
        `encode`.
        """
        if (tokens is not None or sentences) == (spans is not None):
            raise InvalidArgumentError("expected spans, or how chunks are made: tokens, sentences, or both")
        if tokens is not None:
            check_integer("tokens", tokens, 1)
        given = Texts(texts)
        options = self._options(prompt_name, prompt, max_length, batch_tokens)
        options.set_chunks(tokens or 0, sentences)
        if spans is not None:
            given.iterable = with_spans(given.iterable, [spans] if given.is_single else spans)
        cut = self._set_size(options, normalize_embeddings, truncate_dim)
        progress = Progress(given.count) if show_progress_bar else None
        chunks: list[Chunks] = [
            (result.chunk_vectors()[:, :cut], result.chunk_spans())
            for result in results(self._engine, given, options, progress)
        ]
        return chunks[0] if given.is_single else chunks

    def encode_sparse(
        self,
        texts: "str | Iterable[str]",
        *,
        prompt_name: str | None = None,
        prompt: str | None = None,
        max_active_dims: int | None = None,
        max_length: int | None = None,
        batch_tokens: int = 0,
        show_progress_bar: bool = False,
    ) -> "list[SparseVector] | SparseVector":
        """Returns a sparse vector for each text: ids of the vocabulary, in ascending order, and their weights.

        For a single str the result is one vector. max_active_dims: the most weights of a text; the largest are kept. By
        default the model's files say how many, or all are kept. The other arguments are those of `encode`. The model's
        files say how vectors are made (SparseEncoder); otherwise the model needs a masked-LM head, and a weight is
        log(1 + relu) of the largest output over the tokens.
        """
        given = Texts(texts)
        options = self._options(prompt_name, prompt, max_length, batch_tokens)
        options.set_kinds(False, True, False)
        if max_active_dims is not None:
            check_integer("max_active_dims", max_active_dims, 1)
        options.set_max_active(max_active_dims)
        progress = Progress(given.count) if show_progress_bar else None
        sparse_vectors: list[SparseVector] = [
            (result.sparse_ids(), result.sparse_weights()) for result in results(self._engine, given, options, progress)
        ]
        return sparse_vectors[0] if given.is_single else sparse_vectors

    def sparse_size(self) -> int:
        """Returns the number of entries of the vocabulary. The ids of `encode_sparse` are smaller."""
        return self._engine.sparse_size

    def encode_tokens(
        self,
        texts: "str | Iterable[str]",
        *,
        role: Literal["query", "document"] = "document",
        max_length: int | None = None,
        batch_tokens: int = 0,
        show_progress_bar: bool = False,
    ) -> "list[FloatArray] | FloatArray":
        """Returns the vectors of a late-interaction model: an array [vectors, size] for each text, or one for a single
        str.

        role: whether the texts are queries or documents. The model's files say how each role is read, and which of its
        tokens have vectors.
        max_length: by default that of the role. The other arguments are those of `encode`.
        """
        given = Texts(texts)
        options = self._options(None, "", max_length, batch_tokens)
        options.set_kinds(False, False, True)
        check_choice("role", role, ("document", "query"))
        options.set_role(role)
        progress = Progress(given.count) if show_progress_bar else None
        token_vectors = [result.token_vectors() for result in results(self._engine, given, options, progress)]
        return token_vectors[0] if given.is_single else token_vectors

    def encode_kinds(
        self,
        texts: Iterable[str],
        *,
        dense: bool = True,
        sparse: bool = True,
        tokens: bool = True,
        prompt_name: str | None = None,
        prompt: str | None = None,
        max_length: int | None = None,
        batch_tokens: int = 0,
        show_progress_bar: bool = False,
    ) -> "KindVectors":
        """Makes several kinds of vectors by one forward pass. The model must be able to, such as BGE-M3.

        Returns a dict of the requested kinds: "dense" is the array of `encode`, "sparse" the list of `encode_sparse`,
        "tokens" the list of `encode_tokens`, all with the same bits. The other arguments are those of `encode`.
        """
        import numpy as np

        if isinstance(texts, str):
            raise InvalidArgumentError("a single str, expected several texts")
        given = Texts(texts)
        options = self._options(prompt_name, prompt, max_length, batch_tokens)
        options.set_kinds(bool(dense), bool(sparse), bool(tokens))
        progress = Progress(given.count) if show_progress_bar else None
        outputs = list(results(self._engine, given, options, progress))
        kinds: KindVectors = {}
        if dense:
            rows = [result.embedding() for result in outputs]
            kinds["dense"] = np.stack(rows) if rows else np.zeros((0, self.embedding_size()), dtype=np.float32)
        if sparse:
            kinds["sparse"] = [(result.sparse_ids(), result.sparse_weights()) for result in outputs]
        if tokens:
            kinds["tokens"] = [result.token_vectors() for result in outputs]
        return kinds

    def max_sim(self, query: "FloatArray", documents: "Sequence[FloatArray]") -> "NDArray[np.float64]":
        """Returns the scores, [documents], of a query's token vectors, [vectors, size], with those of each document.

        For each vector of the query the largest dot product with a vector of the document is taken. A score is the sum
        of these, and is divided by the number of the query's vectors if the model's files say so.
        """
        listed = checked_list("documents", documents, "arrays [vectors, size]")
        rows = [vectors.rows_of(f"documents[{i}]", document) for i, document in enumerate(listed)]
        scores = _engine.max_sim(vectors.rows_of("query", query), rows)
        return scores / max(len(query), 1) if self.divides_max_sim else scores

    @property
    def divides_max_sim(self) -> bool:
        """Whether a score of `max_sim` is divided by the number of the query's vectors (MeanMaxSim)."""
        return self._engine.mean_score

    def token_vector_size(self) -> int:
        """Returns the size of the vectors of `encode_tokens`."""
        return self._engine.token_vector_size

    def check_files(self) -> None:
        """Raises InvalidFileError if a weight file was written since the model was loaded.

        Results since then may be wrong. It is no error if a file was replaced by a rename: the model keeps the old
        file.
        """
        self._engine.check_files()

    def encode_ids(self, sequences: Iterable[Iterable[int]]) -> "FloatArray":
        """Returns the vectors of sequences of token ids, [sequences, size]. The ids must include special tokens."""
        listed = checked_list("sequences", sequences, "sequences of ids")
        return self._engine.embed_ids([checked_ids(f"sequences[{i}]", ids) for i, ids in enumerate(listed)])

    def token(self, token_id: int) -> str:
        """Returns the token of an id, as in the vocabulary; "" for an id without a token."""
        check_integer("token_id", token_id, 0, 2**31 - 1)
        return self._engine.token(token_id)

    def similarity(self, a: "Vectors", b: "Vectors") -> "Vectors":
        """Returns the similarity of each vector of a with each vector of b, by the model's function: [a, b]."""
        return vectors.similarity(self.similarity_function, a, b)

    def similarity_pairwise(self, a: "Vectors", b: "Vectors") -> "Vectors":
        """Returns the similarity of a[i] with b[i], by the model's function: [vectors]."""
        return vectors.similarity_pairwise(self.similarity_function, a, b)

    # Each method as a coroutine, which runs in a thread; a cancelled call ends its run.
    aencode = twin(encode)
    aencode_query = twin(encode_query)
    aencode_document = twin(encode_document)
    aencode_chunks = twin(encode_chunks)
    aencode_sparse = twin(encode_sparse)
    aencode_tokens = twin(encode_tokens)
    aencode_kinds = twin(encode_kinds)
    aencode_ids = twin(encode_ids)

    def _with_prompt(self, role: str, options: "EncodeOptions") -> "EncodeOptions":
        """Chooses the first prompt of the role that the model has, or no prompt; unless the caller gives one."""
        if options.get("prompt_name") is None and options.get("prompt") is None:
            names = _engine.prompt_names(role)
            options["prompt"] = next((self.prompts[name] for name in names if name in self.prompts), "")
        return options

    def _set_size(self, options: _engine.RunOptions, normalize: bool, truncate_dim: int | None) -> int | None:
        """Sets what the engine does to the vectors. Returns how many of their dimensions the caller must keep; None:
        all.

        As in sentence-transformers, vectors that the model itself normalises are cut after the normalisation.
        """
        if truncate_dim is not None:
            check_integer("truncate_dim", truncate_dim, 1)
        options.normalize = True if normalize else None
        width = self._engine.embedding_size(options)
        if truncate_dim is None or truncate_dim >= width:
            return None
        if normalize:
            options.dimensions = truncate_dim
        return truncate_dim


def load_again(kind: type[Model], source: hub.Source) -> Model:
    """Loads the model of a source; for unpickling."""
    with warnings.catch_warnings(category=Notice, action="ignore"):  # they were shown when the model was first loaded
        model = kind.__new__(kind)
        model._load(source)
        return model
