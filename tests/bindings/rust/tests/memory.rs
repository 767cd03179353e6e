//! Checks that memory does not grow with the number of calls or of loaded models. BERT_MEMORY_CALLS and
//! BERT_MEMORY_LOADS set these numbers. With the defaults the tests take seconds.
use bert_infer::*;
use bert_infer_tests::{load, path};

fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

fn expect_flat(name: &str, variable: &str, default: usize, mut call: impl FnMut()) {
    let count = std::env::var(variable).map_or(default, |count| count.parse().unwrap());
    (0..count / 10 + 1).for_each(|_| call());
    let before = resident();
    (0..count).for_each(|_| call());
    let grown = resident().saturating_sub(before);
    println!("{}: {} calls, {} KiB more", name, count, grown / 1024);
    assert!(grown < 2 << 20, "{}: {} bytes more", name, grown);
}

#[test]
fn is_flat() {
    let calls =
        |name: &str, call: &mut dyn FnMut()| expect_flat(name, "BERT_MEMORY_CALLS", 1000, call);
    let (model, tagger, classes) = (load("embedder"), load("firing-tagger"), load("classes"));
    let task = tagger.task(&TagOptions::default()).unwrap();
    calls("embed", &mut || drop(model.embed("the fox").unwrap()));
    calls("embed_texts", &mut || {
        drop(
            model
                .embed_texts(&["the fox", "a dog"], Default::default())
                .unwrap(),
        )
    });
    calls("tokenize", &mut || {
        drop(
            model
                .tokenize("the fox", Some("a dog"), Default::default())
                .unwrap(),
        )
    });
    calls("encode", &mut || drop(model.encode("the fox").unwrap()));
    calls("chunks", &mut || {
        drop(
            model
                .embed_chunks("the fox jumps", 2, false, Default::default())
                .unwrap(),
        )
    });
    calls("explain", &mut || {
        drop(
            model
                .explain_similarity("a", "b", VectorKind::Dense, None)
                .unwrap(),
        )
    });
    calls("run", &mut || drop(task.run(&["the brown fox"]).unwrap()));
    calls("task", &mut || {
        drop(
            classes
                .task(&ClassifyOptions::default())
                .unwrap()
                .run(&["a"])
                .unwrap(),
        )
    });
    calls("error", &mut || {
        drop(
            classes
                .task(&TagOptions::default())
                .unwrap()
                .run(&["a"])
                .unwrap_err(),
        )
    });
    calls("index", &mut || {
        drop(
            Index::new(&[0.0; 64], 8, Scan::Float32)
                .unwrap()
                .search(&[0.0; 8], 3)
                .unwrap(),
        )
    });
    let folder = path("embedder");
    for name in [None, folder.as_deref()] {
        expect_flat("load", "BERT_MEMORY_LOADS", 50, || {
            Model::load_with(name, Default::default())
                .unwrap()
                .embed("a fox")
                .unwrap();
        });
    }
}
