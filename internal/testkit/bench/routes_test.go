package main

import (
	"strings"
	"testing"
)

func TestPrintRoutes(t *testing.T) {
	t.Parallel()
	const text = `goos: linux
BenchmarkEndpoints/100/GET_/api/me-2   20   1 ns/op   79000 bytes   1.04 cold-ms   14.00 cold-reads   0.412 cpu-ms   12.00 far-reads   9 gzip-bytes   627.4 mallocs   2.000 reads   0 writes
BenchmarkEndpoints/100/GET_/api/items_200-2   20   1 ns/op   66300 bytes   2.84 cold-ms   23.00 cold-reads   5.6 cpu-ms   24.00 far-reads   9 gzip-bytes   6388 mallocs   24.50 reads   0.75 writes
BenchmarkEndpoints/1000/GET_/api/me-2   20   1 ns/op   780000 bytes   10.7 cold-ms   89.00 cold-reads   2.6 cpu-ms   87.00 far-reads   9 gzip-bytes   5197 mallocs   2.000 reads   0 writes
PASS
`
	const want = "| route | 100: CPU ms | alloc. | KB | read units | write | 1000: CPU ms | alloc. | KB | read units " +
		"| write |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n" +
		"| `GET /api/me` | 0.41; 1 | 627 | 79 | 2; 14; 12 | 0 | 2.6; 10.7 | 5197 | 780 | 2; 89; 87 | 0 |\n" +
		"| `GET /api/items 200` | 5.6; 2.8 | 6388 | 66.3 | 24.5; 23; 24 | 0.75 |\n"
	var got strings.Builder
	printRoutes(&got, text)
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
