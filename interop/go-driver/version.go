package driver

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Go is the version that this program was built with.
var Go = "go " + strings.TrimPrefix(runtime.Version(), "go")

// VersionOf returns the version of a module that this program was built with.
func VersionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, one := range info.Deps {
			if one.Path == module {
				return strings.TrimPrefix(one.Version, "v")
			}
		}
	}
	return "unknown"
}
