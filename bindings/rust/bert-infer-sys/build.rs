// Finds the C library: in the folder BERT_INFER_LIB_DIR; of the build tree that this crate stands in; installed, by
// pkg-config; or built by CMake from the sources that the published crate has.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-env-changed=BERT_INFER_LIB_DIR");
    println!("cargo:rerun-if-env-changed=BERT_INFER_SHARED");
    println!("cargo:rerun-if-changed=build.rs");
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap());
    let built = here.join("../../../build");
    if let Ok(folder) = env::var("BERT_INFER_LIB_DIR") {
        link_folder(Path::new(&folder));
    } else if built.join("libbertinfer.a").exists() {
        link_folder(&fs::canonicalize(built).unwrap());
    } else if !link_installed() {
        link_folder(&build_sources(&here.join("source")));
    }
}

fn is_shared() -> bool {
    env::var("BERT_INFER_SHARED").map_or(false, |value| value == "1")
}

fn link_folder(folder: &Path) {
    println!("cargo:rustc-link-search=native={}", folder.display());
    if is_shared() {
        println!("cargo:rustc-link-lib=dylib=bertinfer");
        return;
    }
    println!("cargo:rerun-if-changed={}", folder.join("libbertinfer.a").display());
    println!("cargo:rustc-link-lib=static=bertinfer");
    // The library of a release has its C++ library inside, as its file for pkg-config says; others use the system's.
    let package = fs::read_to_string(folder.join("pkgconfig/bertinfer-static.pc"));
    if package.map_or(true, |text| text.contains("-lstdc++")) {
        println!("cargo:rustc-link-lib=dylib={}", if cfg!(target_os = "macos") { "c++" } else { "stdc++" });
    }
}

fn link_installed() -> bool {
    let package = if is_shared() { "bertinfer" } else { "bertinfer-static" };
    let found = match Command::new("pkg-config").args(["--libs", package]).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => return false,
    };
    for flag in found.split_whitespace() {
        match flag.split_at(2) {
            ("-L", folder) => println!("cargo:rustc-link-search=native={}", folder),
            ("-l", ":libbertinfer.a") => println!("cargo:rustc-link-lib=static=bertinfer"),
            ("-l", name) => println!("cargo:rustc-link-lib=dylib={}", name),
            _ => {}
        }
    }
    true
}

fn build_sources(sources: &Path) -> PathBuf {
    if !sources.exists() {
        panic!("no libbertinfer: set BERT_INFER_LIB_DIR to its folder, install it, or build this repository first");
    }
    let build = PathBuf::from(env::var("OUT_DIR").unwrap()).join("build");
    run(Command::new("cmake").arg("-S").arg(sources).arg("-B").arg(&build).args([
        "-DCMAKE_BUILD_TYPE=Release",
        "-DBERT_INFER_TESTS=OFF",
        "-DBERT_INFER_PROGRAM=OFF",
        "-DBERT_INFER_SHARED_LIBRARY=OFF",
    ]));
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "2".into());
    run(Command::new("cmake").arg("--build").arg(&build).args(["--target", "bertinfer", "--parallel", &jobs]));
    build
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{:?}: {}", command, error));
    assert!(status.success(), "{:?}: {}", command, status);
}
