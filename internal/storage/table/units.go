package table

// The arithmetic of DynamoDB's request units (developer guide, "Capacity unit consumption"): a write
// unit per KB begun of the larger of the row before and after; a read unit per 4 KB begun, half when
// eventually consistent; a query rounds the sum of its rows, a batch each row by itself; what is absent
// costs as much as the smallest row; a failed condition costs the write of the row it found.

// WriteUnits gives the units of a write by the row's size before and after (0 = absent).
func WriteUnits(before, after int) float64 {
	return float64(max(1, (max(before, after)+1023)/1024))
}

// ReadUnits gives the units of reading a row, or a query's sum of rows, of size bytes.
func ReadUnits(size int, consistent bool) float64 {
	u := float64(max(1, (size+4095)/4096))
	if !consistent {
		u /= 2
	}
	return u
}
