//go:build bertinfer_pkgconfig

package bertinfer

// The installed library.

// #cgo pkg-config: bertinfer-static
import "C"
