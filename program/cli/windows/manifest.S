// The program's manifest for Windows, as its resource 1 of type 24: the code page of the process is UTF-8, so that
// arguments, variables and the names of files are (Windows 10 version 1903 and later), and paths may be longer than 260
// characters where the system allows it. Written out because a compiler of resources is a program of its own.

  .section .rsrc$01, "dr"
  // Three tables, of types, names and languages. Each has four fields, the number of its entries, and one entry: an
  // identifier, and where the next table is (with the top bit) or the data's entry.
  .long 0, 0, 0, 0x10000, 24, 0x80000000 + 24
  .long 0, 0, 0, 0x10000, 1, 0x80000000 + 48
  .long 0, 0, 0, 0x10000, 0x409, 72
  .rva manifest
  .long manifest_end - manifest, 0, 0

  .section .rsrc$02, "dr"
manifest:
  .ascii "<assembly xmlns=\"urn:schemas-microsoft-com:asm.v1\" manifestVersion=\"1.0\">\n"
  .ascii "<application xmlns=\"urn:schemas-microsoft-com:asm.v3\"><windowsSettings>\n"
  .ascii "<activeCodePage xmlns=\"http://schemas.microsoft.com/SMI/2019/WindowsSettings\">UTF-8</activeCodePage>\n"
  .ascii "<longPathAware xmlns=\"http://schemas.microsoft.com/SMI/2016/WindowsSettings\">true</longPathAware>\n"
  .ascii "</windowsSettings></application></assembly>\n"
manifest_end:
  .balign 8
