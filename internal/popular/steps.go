package popular

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// step is an age of items at which they are asked for.
type step struct {
	age reader.Minute // after arrival
	// both asks for the item's address with the other scheme as well: providers may count the two apart.
	both bool
	// always asks also for items without a count so far; at the other steps they are left out.
	always bool
}

// steps are the ages at which items are asked for; the first is their arrival. After the last a count is final.
type steps []step

// agesInDays are the ages from the second day on, in units of the schedule's day.
var agesInDays = [...]int{1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 23, 30}

// fewFrom is the age in days from which on items without a count are asked for seldom.
const fewFrom = 4

// newSteps returns the ages. day is the length of a day of the schedule: longer ones stretch it.
func newSteps(day time.Duration) steps {
	list := steps{{0, true, true}, {3 * 60, false, true}, {9 * 60, false, true}}
	for _, n := range agesInDays {
		list = append(list, step{
			age:  reader.Minute(time.Duration(n) * day / time.Minute),
			both: n == 1, always: n < fewFrom || n == 7 || n == 14 || n == 30,
		})
	}
	return list
}

// last is the age at which a count is final.
func (s steps) last() reader.Minute { return s[len(s)-1].age }

// due returns the last step, after the first, that an item reaches after from up to upto, and when.
func (s steps) due(arrived, from, upto reader.Minute) (x step, at reader.Minute, shed int, isDue bool) {
	for i := len(s) - 1; i > 0; i-- {
		switch at := arrived + s[i].age; {
		case at > upto:
		case at <= from:
			return x, 0, 0, false
		default:
			for j := i - 1; j > 0 && arrived+s[j].age > from; j-- {
				shed++
			}
			return s[i], at, shed, true
		}
	}
	return x, 0, 0, false
}
