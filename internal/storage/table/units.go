package table

// DynamoDB's request units (developer guide, "Capacity unit consumption"): one write unit per started KB of the larger
// of the row before and after; one read unit per started 4 KB, half when eventually consistent. A query rounds the sum
// of its rows, a batch each row. An absent row costs as much as the smallest; a failed condition costs a write of the
// row that was found.

// WriteUnits returns the units of a write by the row's size before and after (0 = absent).
func WriteUnits(before, after int) float64 {
	return float64(max(1, (max(before, after)+1023)/1024))
}

// ReadUnits returns the units of reading a row, or a query's sum of rows, of size bytes.
func ReadUnits(size int, consistent bool) float64 {
	u := float64(max(1, (size+4095)/4096))
	if !consistent {
		u /= 2
	}
	return u
}
