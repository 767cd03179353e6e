// Of the modules without threads, whose linker (wasm-ld 19) gives variables of threads absolute addresses: __tls_base,
// which is added to them, is 0. Without this, they overlap other data.
__asm__(
    ".globaltype __tls_base, i32\n"
    ".globl __tls_base\n"
    "__tls_base:\n");
