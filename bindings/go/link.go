//go:build !bertinfer_pkgconfig

package bertinfer

// Links the library in the module's folder lib, as in a release, or in the build tree that contains the module.

/*
#cgo CFLAGS: -I${SRCDIR}/include -I${SRCDIR}/../../include
#cgo amd64,!musl LDFLAGS: -L${SRCDIR}/lib/linux_amd64_glibc
#cgo amd64,musl LDFLAGS: -L${SRCDIR}/lib/linux_amd64_musl
#cgo arm64,!musl LDFLAGS: -L${SRCDIR}/lib/linux_arm64_glibc
#cgo arm64,musl LDFLAGS: -L${SRCDIR}/lib/linux_arm64_musl
#cgo LDFLAGS: -L${SRCDIR}/../../build -l:libbertinfer.a -lstdc++ -lm -ldl -pthread
*/
import "C"
