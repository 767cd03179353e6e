//! Helpers of the crate's tests.
use std::io::Write;
use std::process::{Command, Stdio};

pub fn setting(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("no {}, which tests/bindings/language.sh sets", name))
}

pub fn lines(name: &str) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(setting(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the path of a tiny model, or None for "", the built-in model.
pub fn path(model: &str) -> Option<String> {
    (!model.is_empty()).then(|| format!("{}/{}", setting("BERT_TEST_MODELS"), model))
}

pub fn load(model: &str) -> bert_infer::Model {
    bert_infer::Model::load_with(path(model).as_deref(), Default::default()).unwrap()
}

pub fn bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// Returns the SHA-256 of floats in memory, in hexadecimal digits.
pub fn digest(values: &[f32]) -> String {
    let mut child = Command::new("sha256sum")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&bytes(values))
        .unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()[..64].to_owned()
}
