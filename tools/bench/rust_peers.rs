// Compares bert-infer's crate with fastembed, one engine a process, so that their threads do not disturb each other:
//   cargo new peers && cd peers && cp REPOSITORY/tools/bench/rust_peers.rs src/main.rs
//   cargo add bert-infer --path REPOSITORY/bindings/rust/bert-infer
//   cargo add fastembed --no-default-features --features ort-load-dynamic && cargo build --release
//   export ORT_DYLIB_PATH=libonnxruntime.so    # of the PyPI package onnxruntime
//   for turn in 1 2 3; do for engine in bert-infer fastembed; do
//     target/release/peers $engine DIRECTORY THREADS; done; done
// DIRECTORY has the model's own files and an ONNX export of it, model.onnx. Prints the median time of one sentence, the
// peak of the process's memory, and the vector's first numbers.
use fastembed::{InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};
use std::{env, fs, time::Instant};

const SENTENCE: &str = "The quick brown fox jumps over the lazy dog near the river bank.";

fn fastembed(directory: &str, threads: usize) -> TextEmbedding {
    let file = |name: &str| fs::read(format!("{directory}/{name}")).unwrap();
    let tokenizer = TokenizerFiles {
        tokenizer_file: file("tokenizer.json"),
        config_file: file("config.json"),
        special_tokens_map_file: file("special_tokens_map.json"),
        tokenizer_config_file: file("tokenizer_config.json"),
    };
    let model = UserDefinedEmbeddingModel::new(file("model.onnx"), tokenizer).with_pooling(Pooling::Mean);
    TextEmbedding::try_new_from_user_defined(model, InitOptionsUserDefined::new().with_intra_threads(threads)).unwrap()
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [engine, directory, threads] = &arguments[..] else { panic!("expected ENGINE DIRECTORY THREADS") };
    let threads = threads.parse().unwrap();
    let mut embed: Box<dyn FnMut() -> Vec<f32>> = if engine == "fastembed" {
        let mut model = fastembed(directory, threads);
        Box::new(move || model.embed(vec![SENTENCE], None).unwrap().remove(0))
    } else {
        let options = bert_infer::LoadOptions { threads, ..Default::default() };
        let model = bert_infer::Model::load_with(Some(directory), options).unwrap();
        Box::new(move || model.embed(SENTENCE).unwrap())
    };
    let vector = (0..20).map(|_| embed()).last().unwrap();
    let mut times: Vec<f64> = (0..400)
        .map(|_| {
            let begin = Instant::now();
            embed();
            begin.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    println!("{engine}, {threads} threads: {:.2} ms, {peak}, {:?}", times[times.len() / 2], &vector[..3]);
}
