package driver

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// VersionOf tells the version of a module that this program was built with, and of Go.
func VersionOf(module string) string {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, one := range info.Deps {
			if one.Path == module {
				version = strings.TrimPrefix(one.Version, "v")
			}
		}
	}
	return version + " go " + strings.TrimPrefix(runtime.Version(), "go")
}
