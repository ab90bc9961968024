package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/wire/doctor"
)

func doctorFlags(i *invocation) {
	homeFlag("examine")(i)
	addrFlag(i)
	jsonFlag("a JSON array")(i)
	i.anySettings = true
}

// doctorCmd prints each finding at once. It fails if there is a problem.
func doctorCmd(ctx context.Context, i *invocation) error {
	marks := map[string]string{doctor.OK: "ok     ", doctor.Warning: "WARNING", doctor.Problem: "PROBLEM"}
	list := []doctor.Finding{}
	problems := 0
	doctor.Run(ctx, doctor.Options{
		Config: i.config, Settings: i.settings, Home: cmp.Or(i.home, i.config.Data), Lookup: i.Lookup,
		Version: i.Version, Clock: i.Clock, Own: ownURL(i.config.Addr), Outside: i.config.ProjectURL,
		Client: fetch.Named(i.Version),
	}, func(f doctor.Finding) {
		list = append(list, f)
		if f.Level == doctor.Problem {
			problems++
		}
		if !i.json {
			fmt.Fprintf(i.Stdout, "%s  %-12s %s\n", marks[f.Level], f.Check, f.Text)
			if f.Do != "" {
				fmt.Fprintf(i.Stdout, "%22s %s\n", "->", f.Do)
			}
		}
	})
	if i.json {
		if err := json.NewEncoder(i.Stdout).Encode(list); err != nil {
			return err
		}
	}
	if problems > 0 {
		return fault.Newf(fault.Unavailable, "not_in_order", "Problems: %d. Each line with PROBLEM says what to do.",
			problems)
	}
	return nil
}
