package segment

// Verify checks all parts of a whole file. Errors are those that IsDamaged reports.
func Verify(file []byte) error {
	s, err := openSource(file)
	if err != nil {
		return err
	}
	most := make([]int, len(s.Tail.texts)-1) // documents of a block
	for i := range s.Documents {
		block, place := s.Documents[i].Text()
		most[block] = max(most[block], place+1)
	}
	for block, n := range most {
		texts, err := ReadTexts(s.bytes(s.Text(block)))
		if err == nil && n > 0 {
			_, _, err = texts.Get(n - 1)
		}
		if err != nil {
			return err
		}
	}
	for {
		if err := s.next(); err != nil || s.done {
			return err
		}
		if err := s.entry.each(len(s.Documents), func(uint32) {}); err != nil {
			return err
		}
	}
}
