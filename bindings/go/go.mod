module bertinfer

go 1.19
