package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// stack examines what is around a stack's data.
func (e *examination) stack(ctx context.Context, h *backend.Backend) {
	const permissions = "Give the credentials in use the permission that is named, or look in the console."
	if drifted, err := h.Drift(ctx); err != nil {
		e.warn("drift", "It cannot be told whether the stack was changed by hand: "+sentence(err), permissions)
	} else if len(drifted) > 0 {
		e.warn("drift", "These were changed by hand since the last deployment: "+strings.Join(drifted, ", ")+".",
			"Undo that, or put it into template.yaml or its parameters, and deploy: make deploy")
	} else {
		e.ok("drift", "The stack is as it was deployed.")
	}
	if h.Stack.ScheduleState == "DISABLED" {
		e.problem("schedule", "The schedule is switched off, so that no feed is polled.", "Deploy with "+
			"ScheduleState=ENABLED.")
	}
	if alarms, err := h.Alarms(ctx); err != nil {
		e.warn("alarms", "The alarms cannot be read: "+sentence(err), permissions)
	} else {
		for _, a := range alarms {
			e.problem("alarms", a.Name+" is in alarm: "+a.Description, "docs/run/monitoring.md says what each means.")
		}
		if len(alarms) == 0 {
			e.ok("alarms", "No alarm is raised.")
		}
	}
	m, err := h.LastHour(ctx)
	if err != nil {
		e.warn("schedule", "The metrics of the last hour cannot be read: "+sentence(err), permissions)
		return
	}
	if h.Stack.ScheduleState != "DISABLED" {
		if m.Ticks == 0 {
			e.problem("schedule", "The schedule did not fire within the last hour.",
				"Look at the schedule "+h.Stack.Name+
					"-tick in the console of EventBridge, and deploy again: make deploy")
		} else {
			e.ok("schedule", "The schedule fired %.0f times within the last hour.", m.Ticks)
		}
	}
	if m.QueueAge > queueAge {
		e.problem("queue age", fmt.Sprintf("A message has waited for %.0f minutes.", m.QueueAge/60), "The crawlers "+
			"do not run, or there are too few: look at their log, or raise CrawlerConcurrency.")
	} else {
		e.ok("queue age", "Messages wait for at most %.0f s.", m.QueueAge)
	}
}

// queueAge is how many seconds a message may wait, as for the alarm of the template.
const queueAge = 1800
