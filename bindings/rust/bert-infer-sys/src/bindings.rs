pub const BERT_VERSION: u32 = 100;
pub const BERT_OK: bert_status = 0;
pub const BERT_INVALID_ARGUMENT: bert_status = 1;
pub const BERT_INVALID_FILE: bert_status = 2;
pub const BERT_NOT_FOUND: bert_status = 3;
pub const BERT_UNSUPPORTED: bert_status = 4;
pub const BERT_INVALID_TEXT: bert_status = 5;
pub const BERT_NON_FINITE: bert_status = 6;
pub const BERT_IO: bert_status = 7;
pub const BERT_BUFFER_TOO_SMALL: bert_status = 8;
pub const BERT_OUT_OF_MEMORY: bert_status = 9;
pub const BERT_INTERNAL: bert_status = 10;
pub const BERT_CANCELLED: bert_status = 11;
pub type bert_status = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug)]
pub struct bert_model {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct bert_tokenizer {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct bert_runtime {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_runtime_options {
    pub struct_bytes: usize,
    pub threads: usize,
    pub memory_bytes: usize,
}
pub const BERT_DEFAULT: bert_choice = 0;
pub const BERT_YES: bert_choice = 1;
pub const BERT_NO: bert_choice = 2;
pub type bert_choice = ::std::os::raw::c_uint;
pub const BERT_GEMM_AUTO: bert_gemm = 0;
pub const BERT_GEMM_NATIVE: bert_gemm = 1;
pub const BERT_GEMM_PORTABLE: bert_gemm = 2;
pub const BERT_GEMM_OPENBLAS: bert_gemm = 3;
pub type bert_gemm = ::std::os::raw::c_uint;
pub const BERT_PRECISION_STORED: bert_precision = 0;
pub const BERT_PRECISION_FLOAT32: bert_precision = 1;
pub const BERT_PRECISION_INT8: bert_precision = 2;
pub const BERT_PRECISION_BFLOAT16: bert_precision = 3;
pub type bert_precision = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_load_options {
    pub struct_bytes: usize,
    pub threads: usize,
    pub gemm: i32,
    pub ignore_unexpected: ::std::os::raw::c_int,
    pub check_tensors: ::std::os::raw::c_int,
    pub lowercase: i32,
    pub revision: *const ::std::os::raw::c_char,
    pub runtime: *const bert_runtime,
    pub precision: i32,
    pub task: *const ::std::os::raw::c_char,
    pub copy_weights: ::std::os::raw::c_int,
    pub packed_bytes: usize,
    pub encoder: *const ::std::os::raw::c_char,
    pub static_by_modules: ::std::os::raw::c_int,
    pub max_words: usize,
    pub max_width: usize,
    pub packing: i32,
    pub adapter: *const ::std::os::raw::c_char,
}
pub const BERT_LONGEST_FIRST: bert_truncation = 0;
pub const BERT_ONLY_FIRST: bert_truncation = 1;
pub const BERT_ONLY_SECOND: bert_truncation = 2;
pub const BERT_NO_TRUNCATION: bert_truncation = 3;
pub type bert_truncation = ::std::os::raw::c_uint;
pub const BERT_BYTES: bert_offset_unit = 0;
pub const BERT_CODE_POINTS: bert_offset_unit = 1;
pub const BERT_UTF16: bert_offset_unit = 2;
pub type bert_offset_unit = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_tokenize_options {
    pub struct_bytes: usize,
    pub max_length: usize,
    pub truncation: i32,
    pub without_special_tokens: ::std::os::raw::c_int,
    pub split_special_tokens: ::std::os::raw::c_int,
    pub offset_unit: i32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_tokens {
    pub struct_bytes: usize,
    pub capacity: usize,
    pub ids: *mut i32,
    pub type_ids: *mut i32,
    pub special_tokens_mask: *mut u8,
    pub offset_begins: *mut usize,
    pub offset_ends: *mut usize,
    pub word_ids: *mut i32,
    pub sequence_ids: *mut i32,
    pub size: usize,
    pub truncated_tokens: usize,
    pub unknown_tokens: usize,
    pub code_point_begins: *mut usize,
    pub code_point_ends: *mut usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_sequence {
    pub ids: *const i32,
    pub type_ids: *const i32,
    pub attention_mask: *const u8,
    pub size: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_floats {
    pub data: *mut f32,
    pub capacity: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_encode_buffers {
    pub last_hidden_state: bert_floats,
    pub pooler_output: bert_floats,
    pub hidden_states: bert_floats,
    pub attentions: bert_floats,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_encode_sizes {
    pub struct_bytes: usize,
    pub rows: usize,
    pub last_hidden_state: usize,
    pub pooler_output: usize,
    pub hidden_states: usize,
    pub attentions: usize,
}
pub type bert_progress = ::std::option::Option<
    unsafe extern "C" fn(
        context: *mut ::std::os::raw::c_void,
        texts: usize,
        tokens: usize,
    ) -> ::std::os::raw::c_int,
>;
pub const BERT_POOLING_DEFAULT: bert_pooling = 0;
pub const BERT_POOLING_CLS: bert_pooling = 1;
pub const BERT_POOLING_MEAN: bert_pooling = 2;
pub const BERT_POOLING_MAX: bert_pooling = 3;
pub const BERT_POOLING_POOLER: bert_pooling = 4;
pub const BERT_POOLING_MEAN_SQRT_LENGTH: bert_pooling = 5;
pub const BERT_POOLING_WEIGHTED_MEAN: bert_pooling = 6;
pub const BERT_POOLING_LAST_TOKEN: bert_pooling = 7;
pub type bert_pooling = ::std::os::raw::c_uint;
pub const BERT_LONG_TEXT_DEFAULT: bert_long_text = 0;
pub const BERT_LONG_TEXT_CUT: bert_long_text = 1;
pub const BERT_LONG_TEXT_WINDOWS: bert_long_text = 2;
pub const BERT_LONG_TEXT_ERROR: bert_long_text = 3;
pub type bert_long_text = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_text_report {
    pub status: bert_status,
    pub tokens: usize,
    pub truncated_tokens: usize,
    pub unknown_tokens: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_embed_options {
    pub struct_bytes: usize,
    pub pooling: i32,
    pub normalize: i32,
    pub dimensions: usize,
    pub prompt: *const ::std::os::raw::c_char,
    pub progress: bert_progress,
    pub progress_context: *mut ::std::os::raw::c_void,
    pub long_text: i32,
    pub report: *mut bert_text_report,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_sparse_options {
    pub struct_bytes: usize,
    pub max_active: usize,
    pub progress: bert_progress,
    pub progress_context: *mut ::std::os::raw::c_void,
    pub long_text: i32,
}
pub const BERT_HEAD_MASKED_LM: bert_head = 0;
pub const BERT_HEAD_SEQUENCE_CLASSIFICATION: bert_head = 1;
pub const BERT_HEAD_TOKEN_CLASSIFICATION: bert_head = 2;
pub const BERT_HEAD_QUESTION_ANSWERING: bert_head = 3;
pub const BERT_HEAD_NEXT_SENTENCE: bert_head = 4;
pub const BERT_HEAD_MULTIPLE_CHOICE: bert_head = 5;
pub const BERT_HEAD_REPLACED_TOKENS: bert_head = 6;
pub type bert_head = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_text {
    pub data: *const ::std::os::raw::c_char,
    pub bytes: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_item {
    pub text: *const ::std::os::raw::c_char,
    pub text_bytes: usize,
    pub score: f64,
    pub index: usize,
    pub id: i32,
    pub start: usize,
    pub end: usize,
}
#[repr(C)]
#[derive(Debug)]
pub struct bert_task {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_input {
    pub text: bert_text,
    pub pair: bert_text,
    pub words: *const bert_text,
    pub word_count: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_run_options {
    pub struct_bytes: usize,
    pub offset_unit: i32,
    pub json: ::std::os::raw::c_int,
    pub progress: bert_progress,
    pub progress_context: *mut ::std::os::raw::c_void,
}
#[repr(C)]
#[derive(Debug)]
pub struct bert_results {
    _unused: [u8; 0],
}
pub type bert_next = ::std::option::Option<
    unsafe extern "C" fn(
        context: *mut ::std::os::raw::c_void,
        input: *mut bert_input,
    ) -> ::std::os::raw::c_int,
>;
pub type bert_give = ::std::option::Option<
    unsafe extern "C" fn(
        context: *mut ::std::os::raw::c_void,
        index: usize,
        results: *const bert_results,
    ) -> ::std::os::raw::c_int,
>;
#[repr(C)]
#[derive(Debug)]
pub struct bert_vectors {
    _unused: [u8; 0],
}
pub const BERT_DOCUMENT: bert_role = 0;
pub const BERT_QUERY: bert_role = 1;
pub type bert_role = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_chunk_options {
    pub struct_bytes: usize,
    pub tokens: usize,
    pub sentences: ::std::os::raw::c_int,
    pub offset_unit: i32,
    pub embed: *const bert_embed_options,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_vector_rows {
    pub data: *const f32,
    pub count: usize,
    pub size: usize,
}
#[repr(C)]
#[derive(Debug)]
pub struct bert_index {
    _unused: [u8; 0],
}
pub const BERT_SCAN_FLOAT32: bert_scan = 0;
pub const BERT_SCAN_INT8: bert_scan = 1;
pub const BERT_SCAN_BINARY: bert_scan = 2;
pub type bert_scan = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_index_options {
    pub struct_bytes: usize,
    pub scan: i32,
    pub threads: usize,
    pub label: *const ::std::os::raw::c_char,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_hit {
    pub row: usize,
    pub score: f64,
}
pub const BERT_TOKEN_PAIRS: bert_explanation_kind = 0;
pub const BERT_ENTRIES: bert_explanation_kind = 1;
pub const BERT_MATCHES: bert_explanation_kind = 2;
pub const BERT_WORDS_LEFT_OUT: bert_explanation_kind = 3;
pub type bert_explanation_kind = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug)]
pub struct bert_explanation {
    _unused: [u8; 0],
}
pub const BERT_DENSE: bert_vector_kind = 0;
pub const BERT_SPARSE: bert_vector_kind = 1;
pub const BERT_TOKEN_VECTORS: bert_vector_kind = 2;
pub type bert_vector_kind = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct bert_explain_options {
    pub struct_bytes: usize,
    pub vectors: i32,
    pub pooling: i32,
    pub relevant_label: *const ::std::os::raw::c_char,
    pub offset_unit: i32,
}
pub const BERT_WEIGHTS_INT8: bert_small_weights = 0;
pub const BERT_WEIGHTS_INT8_TABLES: bert_small_weights = 1;
pub const BERT_WEIGHTS_FLOAT16: bert_small_weights = 2;
pub const BERT_WEIGHTS_BFLOAT16: bert_small_weights = 3;
pub type bert_small_weights = ::std::os::raw::c_uint;
extern "C" {
    pub fn bert_error_message() -> *const ::std::os::raw::c_char;
    pub fn bert_error_copy(
        status: bert_status,
        message: *mut ::std::os::raw::c_char,
        capacity: usize,
    ) -> bert_status;
    pub fn bert_status_name(status: bert_status) -> *const ::std::os::raw::c_char;
    pub fn bert_version() -> *const ::std::os::raw::c_char;
    pub fn bert_runtime_create(
        options: *const bert_runtime_options,
        runtime: *mut *mut bert_runtime,
    ) -> bert_status;
    pub fn bert_runtime_free(runtime: *mut bert_runtime);
    pub fn bert_runtime_threads(runtime: *const bert_runtime) -> usize;
    pub fn bert_model_load(
        name: *const ::std::os::raw::c_char,
        options: *const bert_load_options,
        model: *mut *mut bert_model,
    ) -> bert_status;
    pub fn bert_model_free(model: *mut bert_model);
    pub fn bert_model_hidden_size(model: *const bert_model) -> usize;
    pub fn bert_model_layers(model: *const bert_model) -> usize;
    pub fn bert_model_attention_layers(model: *const bert_model) -> usize;
    pub fn bert_model_heads(model: *const bert_model) -> usize;
    pub fn bert_model_precision(model: *const bert_model) -> *const ::std::os::raw::c_char;
    pub fn bert_model_max_length(model: *const bert_model) -> usize;
    pub fn bert_model_max_positions(model: *const bert_model) -> usize;
    pub fn bert_model_packed_bytes(model: *const bert_model) -> usize;
    pub fn bert_model_has_pooler(model: *const bert_model) -> ::std::os::raw::c_int;
    pub fn bert_model_notice(
        model: *const bert_model,
        index: usize,
    ) -> *const ::std::os::raw::c_char;
    pub fn bert_model_check_files(model: *const bert_model) -> bert_status;
    pub fn bert_model_tokenizer(model: *const bert_model) -> *const bert_tokenizer;
    pub fn bert_tokenizer_load(
        name: *const ::std::os::raw::c_char,
        options: *const bert_load_options,
        tokenizer: *mut *mut bert_tokenizer,
    ) -> bert_status;
    pub fn bert_tokenizer_free(tokenizer: *mut bert_tokenizer);
    pub fn bert_tokenize(
        tokenizer: *const bert_tokenizer,
        text: *const ::std::os::raw::c_char,
        text_bytes: usize,
        pair: *const ::std::os::raw::c_char,
        pair_bytes: usize,
        options: *const bert_tokenize_options,
        tokens: *mut bert_tokens,
    ) -> bert_status;
    pub fn bert_token_text(
        tokenizer: *const bert_tokenizer,
        id: i32,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        bytes: *mut usize,
    ) -> bert_status;
    pub fn bert_token_id(
        tokenizer: *const bert_tokenizer,
        token: *const ::std::os::raw::c_char,
        token_bytes: usize,
        id: *mut i32,
    ) -> bert_status;
    pub fn bert_decode(
        tokenizer: *const bert_tokenizer,
        ids: *const i32,
        count: usize,
        skip_special_tokens: ::std::os::raw::c_int,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        bytes: *mut usize,
    ) -> bert_status;
    pub fn bert_model_prompt(
        model: *const bert_model,
        name: *const ::std::os::raw::c_char,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        bytes: *mut usize,
    ) -> bert_status;
    pub fn bert_encode_get_sizes(
        model: *const bert_model,
        sequence: *const bert_sequence,
        sizes: *mut bert_encode_sizes,
    ) -> bert_status;
    pub fn bert_encode(
        model: *const bert_model,
        sequences: *const bert_sequence,
        count: usize,
        buffers: *const bert_encode_buffers,
    ) -> bert_status;
    pub fn bert_embed_get_size(
        model: *const bert_model,
        options: *const bert_embed_options,
        size: *mut usize,
    ) -> bert_status;
    pub fn bert_embed(
        model: *const bert_model,
        sequences: *const bert_sequence,
        count: usize,
        options: *const bert_embed_options,
        vectors: *mut f32,
        capacity: usize,
    ) -> bert_status;
    pub fn bert_embed_text(
        model: *const bert_model,
        text: *const ::std::os::raw::c_char,
        text_bytes: usize,
        options: *const bert_embed_options,
        vector: *mut f32,
        capacity: usize,
    ) -> bert_status;
    pub fn bert_embed_texts(
        model: *const bert_model,
        texts: *const *const ::std::os::raw::c_char,
        text_bytes: *const usize,
        count: usize,
        options: *const bert_embed_options,
        vectors: *mut f32,
        capacity: usize,
        reports: *mut bert_text_report,
    ) -> bert_status;
    pub fn bert_embed_sparse_texts(
        model: *const bert_model,
        texts: *const *const ::std::os::raw::c_char,
        text_bytes: *const usize,
        count: usize,
        options: *const bert_sparse_options,
        row_starts: *mut usize,
        ids: *mut i32,
        weights: *mut f32,
        capacity: usize,
        reports: *mut bert_text_report,
    ) -> bert_status;
    pub fn bert_logits_get_sizes(
        model: *const bert_model,
        head: i32,
        sequence: *const bert_sequence,
        rows: *mut usize,
        outputs: *mut usize,
    ) -> bert_status;
    pub fn bert_logits(
        model: *const bert_model,
        head: i32,
        sequences: *const bert_sequence,
        count: usize,
        logits: *const bert_floats,
    ) -> bert_status;
    pub fn bert_model_label(
        model: *const bert_model,
        output: usize,
    ) -> *const ::std::os::raw::c_char;
    pub fn bert_cosine_similarity(
        a: *const f32,
        b: *const f32,
        size: usize,
        cosine: *mut f64,
    ) -> bert_status;
    pub fn bert_tasks_json() -> *const ::std::os::raw::c_char;
    pub fn bert_task_new(
        model: *const bert_model,
        name: *const ::std::os::raw::c_char,
        task: *mut *mut bert_task,
    ) -> bert_status;
    pub fn bert_task_free(task: *mut bert_task);
    pub fn bert_task_set_word(
        task: *mut bert_task,
        option: *const ::std::os::raw::c_char,
        word: *const ::std::os::raw::c_char,
    ) -> bert_status;
    pub fn bert_task_set_size(
        task: *mut bert_task,
        option: *const ::std::os::raw::c_char,
        size: usize,
    ) -> bert_status;
    pub fn bert_task_set_double(
        task: *mut bert_task,
        option: *const ::std::os::raw::c_char,
        number: f64,
    ) -> bert_status;
    pub fn bert_task_set_bool(
        task: *mut bert_task,
        option: *const ::std::os::raw::c_char,
        flag: ::std::os::raw::c_int,
    ) -> bert_status;
    pub fn bert_task_set_texts(
        task: *mut bert_task,
        option: *const ::std::os::raw::c_char,
        texts: *const bert_text,
        count: usize,
    ) -> bert_status;
    pub fn bert_task_set_json(
        task: *mut bert_task,
        json: *const ::std::os::raw::c_char,
        json_bytes: usize,
    ) -> bert_status;
    pub fn bert_model_reads_labels(
        model: *const bert_model,
        task: *const ::std::os::raw::c_char,
    ) -> ::std::os::raw::c_int;
    pub fn bert_model_mask_id(model: *const bert_model) -> i32;
    pub fn bert_task_run(
        task: *const bert_task,
        inputs: *const bert_input,
        count: usize,
        options: *const bert_run_options,
        results: *mut *mut bert_results,
    ) -> bert_status;
    pub fn bert_task_stream(
        task: *const bert_task,
        next: bert_next,
        give: bert_give,
        context: *mut ::std::os::raw::c_void,
        options: *const bert_run_options,
    ) -> bert_status;
    pub fn bert_results_free(results: *mut bert_results);
    pub fn bert_results_count(results: *const bert_results) -> usize;
    pub fn bert_results_status(results: *const bert_results, input: usize) -> bert_status;
    pub fn bert_results_message(
        results: *const bert_results,
        input: usize,
    ) -> *const ::std::os::raw::c_char;
    pub fn bert_results_truncated_tokens(results: *const bert_results, input: usize) -> usize;
    pub fn bert_results_items(
        results: *const bert_results,
        input: usize,
        count: *mut usize,
    ) -> *const bert_item;
    pub fn bert_results_text(
        results: *const bert_results,
        input: usize,
        bytes: *mut usize,
    ) -> *const ::std::os::raw::c_char;
    pub fn bert_results_json(
        results: *const bert_results,
        input: usize,
    ) -> *const ::std::os::raw::c_char;
    pub fn bert_results_ranking(results: *const bert_results, count: *mut usize) -> *const usize;
    pub fn bert_vectors_count(vectors: *const bert_vectors) -> usize;
    pub fn bert_vectors_size(vectors: *const bert_vectors) -> usize;
    pub fn bert_vectors_data(vectors: *const bert_vectors) -> *const f32;
    pub fn bert_vectors_starts(vectors: *const bert_vectors) -> *const usize;
    pub fn bert_vectors_ends(vectors: *const bert_vectors) -> *const usize;
    pub fn bert_vectors_tokens(vectors: *const bert_vectors) -> *const u32;
    pub fn bert_vectors_truncated_tokens(vectors: *const bert_vectors) -> usize;
    pub fn bert_vectors_free(vectors: *mut bert_vectors);
    pub fn bert_embed_tokens(
        model: *const bert_model,
        text: bert_text,
        role: i32,
        vectors: *mut *mut bert_vectors,
    ) -> bert_status;
    pub fn bert_embed_chunks(
        model: *const bert_model,
        text: bert_text,
        options: *const bert_chunk_options,
        vectors: *mut *mut bert_vectors,
    ) -> bert_status;
    pub fn bert_max_sim(
        query: bert_vector_rows,
        document: bert_vector_rows,
        score: *mut f64,
    ) -> bert_status;
    pub fn bert_index_create(
        vectors: bert_vector_rows,
        options: *const bert_index_options,
        index: *mut *mut bert_index,
    ) -> bert_status;
    pub fn bert_index_write(
        file: *const ::std::os::raw::c_char,
        vectors: bert_vector_rows,
        options: *const bert_index_options,
    ) -> bert_status;
    pub fn bert_index_open(
        file: *const ::std::os::raw::c_char,
        options: *const bert_index_options,
        index: *mut *mut bert_index,
    ) -> bert_status;
    pub fn bert_index_free(index: *mut bert_index);
    pub fn bert_index_rows(index: *const bert_index) -> usize;
    pub fn bert_index_size(index: *const bert_index) -> usize;
    pub fn bert_index_label(index: *const bert_index) -> *const ::std::os::raw::c_char;
    pub fn bert_index_search(
        index: *const bert_index,
        query: *const f32,
        top: usize,
        hits: *mut bert_hit,
        found: *mut usize,
    ) -> bert_status;
    pub fn bert_explanation_kind_of(why: *const bert_explanation) -> i32;
    pub fn bert_explanation_function(why: *const bert_explanation)
        -> *const ::std::os::raw::c_char;
    pub fn bert_explanation_no_sum(why: *const bert_explanation) -> *const ::std::os::raw::c_char;
    pub fn bert_explanation_outputs(why: *const bert_explanation) -> *const bert_item;
    pub fn bert_explanation_output_count(why: *const bert_explanation) -> usize;
    pub fn bert_explanation_remainders(why: *const bert_explanation) -> *const f64;
    pub fn bert_explanation_parts(
        why: *const bert_explanation,
        which: ::std::os::raw::c_int,
    ) -> *const bert_item;
    pub fn bert_explanation_part_count(
        why: *const bert_explanation,
        which: ::std::os::raw::c_int,
    ) -> usize;
    pub fn bert_explanation_terms(why: *const bert_explanation) -> *const f64;
    pub fn bert_explanation_free(why: *mut bert_explanation);
    pub fn bert_explain_similarity(
        model: *const bert_model,
        a: bert_text,
        b: bert_text,
        options: *const bert_explain_options,
        why: *mut *mut bert_explanation,
    ) -> bert_status;
    pub fn bert_explain_labels(
        model: *const bert_model,
        text: bert_text,
        pair: bert_text,
        options: *const bert_explain_options,
        why: *mut *mut bert_explanation,
    ) -> bert_status;
    pub fn bert_explain_relevance(
        model: *const bert_model,
        query: bert_text,
        document: bert_text,
        options: *const bert_explain_options,
        why: *mut *mut bert_explanation,
    ) -> bert_status;
    pub fn bert_quantize(
        name: *const ::std::os::raw::c_char,
        directory: *const ::std::os::raw::c_char,
        weights: i32,
        options: *const bert_load_options,
    ) -> bert_status;
    pub fn bert_model_digest(
        name: *const ::std::os::raw::c_char,
        revision: *const ::std::os::raw::c_char,
        digest: *mut ::std::os::raw::c_char,
    ) -> bert_status;
}
