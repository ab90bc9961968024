package extract

// Most feeds give each item a guid or link of its own. Some give the same to several, and then what tells these
// items apart becomes part of their identity (IdentityWithin). That is decided for each guid or link on its own: the
// other items of such a feed keep the identities that they always had. An item is told apart when its body lists
// another one with the same Identity, or when Options.Shared remembers that a body did.

// isShared notes an identity that comes up, and tells whether several items are known to have it.
func (s *scanner) isShared(id uint64) bool {
	first := s.seen.add(id)
	if s.shared[id] {
		return true
	}
	if first && (s.o.Shared == nil || !s.o.Shared(id)) {
		return false
	}
	if s.shared == nil {
		s.shared = map[uint64]bool{}
	}
	s.shared[id] = true
	return true
}

// distinguish gives the item located last, whose identity is shared, the one within it. It is false for an item that
// was listed before.
func (s *scanner) distinguish(r *record) bool {
	r.shared, r.id = r.id, s.withinLocated(r.id)
	return s.distinct.add(r.id)
}

func (s *scanner) withinLocated(shared uint64) uint64 {
	if s.feed.Format == JSON {
		return s.members.within(s, shared)
	}
	return s.within(shared)
}

// settleShared tells those items apart that were the first with their identity, before it was known to be shared.
// Of equal items the first one stays.
func (s *scanner) settleShared() {
	items := s.feed.Items
	if len(s.shared) == 0 {
		return
	}
	again := map[uint64]bool{} // identities that a first item has, and a later one too
	late := func(r *record) {
		if r.shared > Nameless || !s.shared[r.id] {
			return
		}
		s.locateAgain(r.start)
		if !s.distinguish(r) {
			again[r.id] = true
		}
		r.within = 0
		r.known, _ = s.knows(r.id, r.content)
	}
	met := map[uint64]bool{}
	drop := func(id uint64) bool {
		repeated := again[id] && met[id]
		if met[id] = true; repeated {
			s.feed.Repeated++
		}
		return repeated
	}
	for i := range items {
		it := &items[i]
		r := record{it.Start, it.End, it.Identity, it.Shared, it.Within, it.Content, it.Known}
		late(&r)
		filled := !it.Known
		it.Identity, it.Shared, it.Within, it.Known = r.id, r.shared, r.within, r.known
		if !it.Known && !filled {
			s.fillLocated(it)
		}
	}
	for i := range s.later {
		late(&s.later[i])
	}
	kept := items[:0]
	for i := range items {
		if !drop(items[i].Identity) {
			kept = append(kept, items[i])
		}
	}
	s.feed.Items = kept
	later := s.later[:0]
	for i := range s.later {
		if !drop(s.later[i].id) {
			later = append(later, s.later[i])
		}
	}
	s.later = later
}
