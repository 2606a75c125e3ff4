module holdfast.interop/driver

go 1.24
