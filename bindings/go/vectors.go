package bertinfer

// #include "calls.h"
import "C"

import "context"

// A Role says whether a text is a query or a document, in late interaction.
type Role int32

const (
	Document Role = C.BERT_DOCUMENT
	Query    Role = C.BERT_QUERY
)

// PartVectors are the vectors of the parts of one text.
type PartVectors struct {
	Data            []float32 // [parts, Size]
	Size            int
	Starts, Ends    []int // places of chunks, in bytes
	TruncatedTokens int
}

func (m *Model) partVectors(call func(*C.bert_model, **C.bert_vectors) C.bert_status) (made PartVectors, err error) {
	var found *C.bert_vectors
	if err := m.model.check(func(model *C.bert_model) C.bert_status { return call(model, &found) }); err != nil {
		return made, err
	}
	defer C.bert_vectors_free(found)
	count := int(C.bert_vectors_count(found))
	made.Size = int(C.bert_vectors_size(found))
	made.Data = append(made.Data, of[float32](C.bert_vectors_data(found), count*made.Size)...)
	made.Starts = ints(of[C.size_t](C.bert_vectors_starts(found), count))
	made.Ends = ints(of[C.size_t](C.bert_vectors_ends(found), count))
	made.TruncatedTokens = int(C.bert_vectors_truncated_tokens(found))
	return made, nil
}

// EmbedTokens computes a vector for each token of a text, by a late-interaction model.
func (m *Model) EmbedTokens(text string, role Role) (PartVectors, error) {
	return m.partVectors(func(model *C.bert_model, made **C.bert_vectors) C.bert_status {
		return C.bert_go_embed_tokens(model, text, C.int32_t(role), made)
	})
}

// EmbedChunks reads a whole text in one pass and computes a vector for each of its chunks. A chunk has at most this
// many tokens (0: no limit) and ends at the end of a word or of a sentence.
func (m *Model) EmbedChunks(text string, tokens int, sentences bool, options EmbedOptions) (PartVectors, error) {
	embed, free, err := options.given()
	defer free()
	if err == nil {
		err = checkSize("tokens", tokens)
	}
	if err != nil {
		return PartVectors{}, err
	}
	given := C.bert_chunk_options{
		struct_bytes: C.sizeof_bert_chunk_options, tokens: C.size_t(tokens), sentences: flag(sentences),
	}
	return m.partVectors(func(model *C.bert_model, made **C.bert_vectors) C.bert_status {
		return C.bert_go_embed_chunks(model, text, given, embed, made)
	})
}

// A SparseVector has entries of the vocabulary, in ascending order of ids.
type SparseVector struct {
	IDs     []int32
	Weights []float32
}

// EmbedSparse computes sparse vectors. maxActive is the largest number of weights of a text. With 0, the model's files
// decide.
func (m *Model) EmbedSparse(ctx context.Context, texts []string, maxActive int) ([]SparseVector, error) {
	if err := checkSize("maxActive", maxActive); err != nil {
		return nil, err
	}
	given := C.bert_sparse_options{struct_bytes: C.sizeof_bert_sparse_options, max_active: C.size_t(maxActive)}
	block, bytes := blockOf(texts)
	rows, capacity := make([]C.size_t, len(texts)+1), 1024*len(texts)
	if 0 < maxActive && maxActive < 1024 {
		capacity = maxActive * len(texts)
	}
	var entries []int32
	var weights []float32
	err := m.model.checkContext(ctx, func(model *C.bert_model, isCancelled *C.int32_t) C.bert_status {
		for {
			entries, weights = make([]int32, capacity), make([]float32, capacity)
			status := C.bert_go_embed_sparse(model, block, pointer(bytes), C.size_t(len(texts)), given, isCancelled,
				&rows[0], ids(entries), floats(weights), C.size_t(capacity))
			if status != C.BERT_BUFFER_TOO_SMALL {
				return status
			}
			capacity = int(rows[len(texts)])
		}
	})
	if err != nil {
		return nil, err
	}
	made := make([]SparseVector, len(texts))
	for i := range made {
		made[i] = SparseVector{entries[rows[i]:rows[i+1]], weights[rows[i]:rows[i+1]]}
	}
	return made, nil
}

// MaxSim sums, over the query's vectors, the largest dot product of each with a vector of the document.
func MaxSim(query, document PartVectors) (float64, error) {
	if query.Size != document.Size || query.Size == 0 {
		return 0, invalid("vectors of %d and %d numbers, expected one size", query.Size, document.Size)
	}
	var score C.double
	count := func(of PartVectors) C.size_t { return C.size_t(len(of.Data) / of.Size) }
	err := check(func() C.bert_status {
		return C.bert_go_max_sim(floats(query.Data), count(query), floats(document.Data), count(document),
			C.size_t(query.Size), &score)
	})
	return float64(score), err
}

// CosineSimilarity is the cosine of two vectors of one size, summed in float64.
func CosineSimilarity(a, b []float32) (float64, error) {
	if len(a) != len(b) {
		return 0, invalid("vectors of %d and %d numbers, expected one size", len(a), len(b))
	}
	var cosine C.double
	err := check(func() C.bert_status {
		return C.bert_cosine_similarity(floats(a), floats(b), C.size_t(len(a)), &cosine)
	})
	return float64(cosine), err
}

// A Scan is the form of the rows that a search reads.
type Scan int32

const (
	ScanFloat32 Scan = C.BERT_SCAN_FLOAT32
	ScanInt8    Scan = C.BERT_SCAN_INT8
	ScanBinary  Scan = C.BERT_SCAN_BINARY
)

// A Hit is a row and its dot product with the query.
type Hit struct {
	Row   int
	Score float64
}

// An Index searches exactly among vectors of length 1.
type Index struct{ index *handle[*C.bert_index] }

func rowsOf(vectors []float32, size int) (C.size_t, error) {
	if size <= 0 || len(vectors)%size != 0 {
		return 0, invalid("%d numbers, expected whole vectors of size %d, which is at least 1", len(vectors), size)
	}
	return C.size_t(len(vectors) / size), nil
}

func newIndex(call func(**C.bert_index) C.bert_status) (*Index, error) {
	var index *C.bert_index
	if err := check(func() C.bert_status { return call(&index) }); err != nil {
		return nil, err
	}
	made := &Index{&handle[*C.bert_index]{}}
	made.index.set(index, func(index *C.bert_index) { C.bert_index_free(index) })
	return made, nil
}

// NewIndex copies the vectors, [rows, size].
func NewIndex(vectors []float32, size int, scan Scan) (*Index, error) {
	rows, err := rowsOf(vectors, size)
	if err != nil {
		return nil, err
	}
	given := C.bert_index_options{struct_bytes: C.sizeof_bert_index_options, scan: C.int32_t(scan)}
	return newIndex(func(index **C.bert_index) C.bert_status {
		return C.bert_go_index(nil, floats(vectors), rows, C.size_t(size), given, index)
	})
}

// OpenIndex maps a file that WriteIndex or the program's search --index wrote.
func OpenIndex(file string) (*Index, error) {
	names, free, err := cStrings(file)
	defer free()
	if err != nil {
		return nil, err
	}
	return newIndex(func(index **C.bert_index) C.bert_status { return C.bert_index_open(names[0], nil, index) })
}

// WriteIndex writes an index to a file, which gets its name when it is complete.
func WriteIndex(file string, vectors []float32, size int, scan Scan, label string) error {
	names, free, err := cStrings(file, label)
	defer free()
	if err != nil {
		return err
	}
	rows, err := rowsOf(vectors, size)
	if err != nil {
		return err
	}
	given := C.bert_index_options{
		struct_bytes: C.sizeof_bert_index_options, scan: C.int32_t(scan), label: names[1],
	}
	return check(func() C.bert_status {
		return C.bert_go_index(names[0], floats(vectors), rows, C.size_t(size), given, nil)
	})
}

// Close frees the index when no call uses it. It may be called again.
func (i *Index) Close() { i.index.close() }

// Label returns the label of the index's file.
func (i *Index) Label() string {
	return read(i.index, func(index *C.bert_index) string { return C.GoString(C.bert_index_label(index)) })
}

// Search finds the best rows for a query, at most top, best first.
func (i *Index) Search(query []float32, top int) (found []Hit, err error) {
	var wrong error
	err = i.index.check(func(index *C.bert_index) C.bert_status {
		if wrong = checkSize("top", top); wrong != nil {
			return C.BERT_OK
		}
		if size := int(C.bert_index_size(index)); size != len(query) {
			wrong = invalid("a query of %d numbers, expected %d", len(query), size)
			return C.BERT_OK
		}
		if rows := int(C.bert_index_rows(index)); top > rows {
			top = rows
		}
		hits := make([]C.bert_hit, top)
		var count C.size_t
		status := C.bert_index_search(index, floats(query), C.size_t(top), pointer(hits), &count)
		for _, hit := range hits[:count] {
			found = append(found, Hit{int(hit.row), float64(hit.score)})
		}
		return status
	})
	if wrong != nil {
		return nil, wrong
	}
	return found, err
}

// An ExplainedScore is the sum of its terms and the remainder.
type ExplainedScore struct {
	Label            string // a classifier's label; "" for a similarity
	Score, Remainder float64
}

// An Explanation explains a score.
type Explanation struct {
	// Kind decides the shape of Terms: for "token pairs" and "matches" [First, Second]; for "entries" [entries]; for
	// "words left out" [First and then Second, Scores].
	Kind          string
	Function      string // "cosine", "maxsim", …; "" for labels
	Scores        []ExplainedScore
	First, Second []Item // tokens, words or entries; Score is the weight in the text
	Terms         []float64
}

// A VectorKind is the kind of vectors that a similarity compares.
type VectorKind int32

const (
	Dense        VectorKind = C.BERT_DENSE
	Sparse       VectorKind = C.BERT_SPARSE
	TokenVectors VectorKind = C.BERT_TOKEN_VECTORS
)

func (m *Model) explain(kind C.int, a, b string, hasB bool, options C.bert_explain_options) (made Explanation, err error) {
	options.struct_bytes = C.sizeof_bert_explain_options
	var why *C.bert_explanation
	err = m.model.check(func(model *C.bert_model) C.bert_status {
		return C.bert_go_explain(model, kind, a, b, flag(hasB), options, &why)
	})
	if err != nil {
		return made, err
	}
	defer C.bert_explanation_free(why)
	made.Kind = [...]string{"token pairs", "entries", "matches", "words left out"}[C.bert_explanation_kind_of(why)]
	made.Function = C.GoString(C.bert_explanation_function(why))
	made.First = itemsOf(C.bert_explanation_parts(why, 0), C.bert_explanation_part_count(why, 0))
	made.Second = itemsOf(C.bert_explanation_parts(why, 1), C.bert_explanation_part_count(why, 1))
	outputs := C.bert_explanation_output_count(why)
	remainders := of[float64](C.bert_explanation_remainders(why), int(outputs))
	for i, item := range itemsOf(C.bert_explanation_outputs(why), outputs) {
		made.Scores = append(made.Scores, ExplainedScore{item.Text, item.Score, remainders[i]})
	}
	terms := len(made.First) * len(made.Second)
	switch made.Kind {
	case "entries":
		terms = len(made.First)
	case "words left out":
		terms = (len(made.First) + len(made.Second)) * int(outputs)
	}
	made.Terms = append(made.Terms, of[float64](C.bert_explanation_terms(why), terms)...)
	return made, nil
}

// ExplainSimilarity explains the similarity of two texts.
func (m *Model) ExplainSimilarity(a, b string, vectors VectorKind, pooling Pooling) (Explanation, error) {
	return m.explain(0, a, b, true, C.bert_explain_options{vectors: C.int32_t(vectors), pooling: C.int32_t(pooling)})
}

// ExplainLabels explains a classifier's scores for a text, or for a text and its pair.
func (m *Model) ExplainLabels(text string, pair *string) (Explanation, error) {
	if pair == nil {
		return m.explain(1, text, "", false, C.bert_explain_options{})
	}
	return m.explain(1, text, *pair, true, C.bert_explain_options{})
}

// ExplainRelevance explains how well a document fits a query.
func (m *Model) ExplainRelevance(query, document string) (Explanation, error) {
	return m.explain(2, query, document, true, C.bert_explain_options{})
}
