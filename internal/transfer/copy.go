package transfer

import (
	"context"
)

// Copy moves all of a home into an empty place, or goes on with a copy that was broken off. Errors are sentences
// for the owner; after each of them the same call may be made again.
func Copy(ctx context.Context, from, to Place, o Options) (Report, error) {
	o = o.withDefaults()
	home, err := homeOf(ctx, from, o.Clock)
	if err != nil {
		return Report{}, err
	}
	f := &filler{o: o, src: live{from}, to: to}
	if err := f.begin(ctx, home, from.Name); err != nil {
		return Report{}, err
	}
	return f.run(ctx)
}
