"""The engines of peers.py, each with its fastest settings. Each function returns a function from a padded batch (int64
ids and mask) to the token vectors, and the engine's name.

In float32: torch with sdpa attention, not compiled, compiled by Inductor, and compiled by AMD's zentorch; ONNX Runtime
on torch's export after its own transformer optimizer; OpenVINO on torch's export, with the LATENCY hint and one stream;
CTranslate2 with its own conversion.

In int8: ONNX Runtime's quantize_dynamic with a scale for each channel; OpenVINO with nncf.quantize on 300 random texts
("static"), and with nncf.compress_weights and activations that are quantised in groups of 32 during the run
("dynamic"); CTranslate2's int8."""

import json
import pathlib
import sys

VOCAB = 30522
EXPORT = "model.onnx"


def torch_model(model_dir, attention):
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    try:
        model = transformers.AutoModel.from_pretrained(model_dir, attn_implementation=attention)
    except ValueError:  # a family without this attention
        model = transformers.AutoModel.from_pretrained(model_dir, attn_implementation="eager")
    return torch, model.eval()


def export_onnx(model_dir, cache):
    """Makes torch's export once, for the engines that read it."""
    path = cache / EXPORT
    if path.exists():
        return path
    torch, model = torch_model(model_dir, "eager")

    class Outputs(torch.nn.Module):  # returns a tuple, which every exporter accepts
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, ids, mask, types):
            outputs = self.model(input_ids=ids, attention_mask=mask, token_type_ids=types)
            return outputs.last_hidden_state, outputs.pooler_output

    ids = torch.ones(2, 16, dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "sequence"} for name in names + ["last_hidden_state"]}
    axes["pooler_output"] = {0: "batch"}
    options = {"dynamo": False} if "dynamo" in torch.onnx.export.__code__.co_varnames else {}
    partial = cache / ("partial-" + EXPORT)
    with torch.inference_mode():
        torch.onnx.export(Outputs(), (ids, torch.ones_like(ids), torch.zeros_like(ids)), str(partial),
                          input_names=names, output_names=["last_hidden_state", "pooler_output"],
                          dynamic_axes=axes, opset_version=17, **options)
    partial.rename(path)
    return path


def run_of_torch(torch, model):
    def run(ids, mask):
        with torch.inference_mode():
            ids = torch.from_numpy(ids)
            # A mask of ones only costs time. Without a mask torch uses its faster path.
            mask = None if mask.all() else torch.from_numpy(mask)
            return model(input_ids=ids, attention_mask=mask).last_hidden_state.numpy()

    return run


def make_torch(model_dir, threads, _cache, precision):
    torch, model = torch_model(model_dir, "sdpa")
    torch.set_num_threads(threads)
    if precision == "float64":
        model.double()
    return run_of_torch(torch, model), f"torch {torch.__version__}"


def make_inductor(model_dir, threads, _cache, _precision, backend="inductor"):
    """Uses torch.compile with a graph for each shape, and with the weights in the order of its products."""
    import torch._dynamo
    import torch._inductor.config

    torch, model = torch_model(model_dir, "sdpa")
    torch.set_num_threads(threads)
    torch._inductor.config.freezing = True
    torch._dynamo.config.recompile_limit = 64
    return run_of_torch(torch, torch.compile(model, backend=backend, dynamic=False)), f"torch.compile, {backend}"


def make_zentorch(model_dir, threads, cache, precision):
    """Uses AMD's backend of torch.compile."""
    import zentorch

    run, title = make_inductor(model_dir, threads, cache, precision, "zentorch")
    return run, f"{title} {zentorch.__version__}"


def make_onnxruntime(model_dir, threads, cache, precision):
    import numpy as np
    import onnx
    import onnxruntime
    import onnxruntime.quantization

    plain = export_onnx(model_dir, cache)
    fused = cache / "fused.onnx"
    if not fused.exists():
        from onnxruntime.transformers import optimizer

        config = json.loads((pathlib.Path(model_dir) / "config.json").read_text())
        optimized = optimizer.optimize_model(str(plain), model_type="bert", num_heads=config["num_attention_heads"],
                                             hidden_size=config["hidden_size"])
        print(f"peers.py: onnxruntime's optimizer fused {optimized.get_fused_operator_statistics()}", file=sys.stderr)
        optimized.save_model_to_file(str(fused))
    if precision == "int8":
        dynamic = cache / "dynamic-int8.onnx"
        if not dynamic.exists():
            # onnx does not infer the types of the optimizer's nodes; all of them are floats.
            onnxruntime.quantization.quantize_dynamic(fused, dynamic, per_channel=True,
                                                      extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
        fused = dynamic
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(fused), options, providers=["CPUExecutionProvider"])
    kinds = {entry.name: np.int32 if "int32" in entry.type else np.int64 for entry in session.get_inputs()}

    def run(ids, mask):
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return session.run(None, {name: given[name].astype(kind, copy=False) for name, kind in kinds.items()})[0]

    return run, f"ONNX Runtime {onnxruntime.__version__}{', dynamic' if precision == 'int8' else ''}"


def calibration_data(nncf):
    """Returns 300 samples of random ids, like the texts. 300 is sentence-transformers' default."""
    import numpy as np

    generator = np.random.default_rng(2)

    def sample(length):
        ids = generator.integers(1000, VOCAB, (1, length))
        return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}

    return nncf.Dataset([sample(int(length)) for length in generator.integers(8, 128, 300)])


def quantized_openvino(way, model_dir, cache):
    """Makes the export with int8 weights by nncf. Activations are quantised too: by scales chosen before the run
    (`static`) or during the run (`dynamic`)."""
    import nncf
    import openvino

    path = cache / f"{way}-int8.xml"
    if not path.exists():
        model = openvino.Core().read_model(str(export_onnx(model_dir, cache)))
        if way == "static":
            model = nncf.quantize(model, calibration_data(nncf), model_type=nncf.ModelType.TRANSFORMER)
        else:
            model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_SYM)
        openvino.save_model(model, str(path), compress_to_fp16=False)
    return path


def make_openvino(model_dir, threads, cache, precision, way="static"):
    import numpy as np
    import openvino

    settings = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads,
                "INFERENCE_PRECISION_HINT": "bf16" if precision == "bfloat16" else "f32"}
    if way == "default":
        del settings["INFERENCE_PRECISION_HINT"]
    path = export_onnx(model_dir, cache)
    if precision == "int8":
        path = quantized_openvino(way, model_dir, cache)
        if way == "dynamic":
            settings["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = 32
    request = openvino.Core().compile_model(str(path), "CPU", settings).create_infer_request()

    def run(ids, mask):
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        request.infer(given, share_inputs=True)
        return request.get_output_tensor(0).data

    return run, f"OpenVINO {openvino.__version__.split('-')[0]}{', ' + way if precision == 'int8' else ''}"


def make_openvino_default(model_dir, threads, cache, precision):
    """Computes in the precision that OpenVINO chooses for the CPU."""
    run, title = make_openvino(model_dir, threads, cache, precision, "default")
    return run, f"{title}, as shipped"


def make_openvino_dynamic(model_dir, threads, cache, precision):
    return make_openvino(model_dir, threads, cache, precision, "dynamic")


def make_ctranslate2(model_dir, threads, cache, precision):
    import ctranslate2
    import numpy as np

    converted = cache / "ctranslate2"
    if not converted.exists():
        import transformers

        transformers.logging.set_verbosity_error()
        ctranslate2.converters.TransformersConverter(str(model_dir)).convert(str(converted))
    encoder = ctranslate2.Encoder(str(converted), device="cpu", compute_type=precision, intra_threads=threads,
                                  inter_threads=1)

    def run(ids, mask):
        batch = [row[: int(ones.sum())].tolist() for row, ones in zip(ids, mask)]
        return np.array(encoder.forward_batch(batch).last_hidden_state)

    return run, f"CTranslate2 {ctranslate2.__version__}"


ENGINES = {
    "float32": {"torch": make_torch, "inductor": make_inductor, "zentorch": make_zentorch,
                "onnxruntime": make_onnxruntime, "openvino": make_openvino, "ctranslate2": make_ctranslate2},
    "bfloat16": {"openvino": make_openvino, "openvino-default": make_openvino_default},
    "int8": {"onnxruntime": make_onnxruntime, "openvino": make_openvino, "openvino-dynamic": make_openvino_dynamic,
             "ctranslate2": make_ctranslate2},
    "float64": {"torch": make_torch},
}
