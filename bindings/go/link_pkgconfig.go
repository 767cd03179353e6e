//go:build bertinfer_pkgconfig

package bertinfer

// Links the installed library.

// #cgo pkg-config: bertinfer-static
import "C"
