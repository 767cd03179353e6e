// Defines __tls_base as 0 for modules without threads. Their linker (wasm-ld 19) gives thread-local variables absolute
// addresses, to which __tls_base is added. Without this definition the variables would overlap other data.
__asm__(
    ".globaltype __tls_base, i32\n"
    ".globl __tls_base\n"
    "__tls_base:\n");
