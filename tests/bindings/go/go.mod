module bertinfertests

go 1.19

require bertinfer v0.0.0

replace bertinfer => ../../../bindings/go
