package main

// The time zones, and the certificates of authorities that a machine without its own uses, are in the program: the
// container image has nothing else.
import (
	_ "time/tzdata"

	_ "golang.org/x/crypto/x509roots/fallback"
)
