package auth

import (
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

func fresh() (*throttle, *clock.Manual) {
	clk := clock.NewManual(start)
	return newThrottle(clk), clk
}

func TestGuessingGetsSlower(t *testing.T) {
	t.Parallel()
	th, clk := fresh()
	var waited []time.Duration
	for range 20 {
		for {
			_, wait := th.take("anna@example.org", "192.0.2.1")
			if wait == 0 {
				break
			}
			waited = append(waited, wait)
			clk.Add(wait)
		}
	}
	if len(waited) != 20-pairLimit.free || waited[0] != time.Second || waited[3] != 8*time.Second {
		t.Errorf("twenty tries waited %v", waited)
	}
	if last := waited[len(waited)-1]; last != pairLimit.longest {
		t.Errorf("the last wait is %v", last)
	}
}

func TestRefusedAttemptsAreNotCounted(t *testing.T) {
	t.Parallel()
	th, clk := fresh()
	for range pairLimit.free {
		th.take("anna@example.org", "192.0.2.1")
	}
	for range 100 {
		if _, wait := th.take("anna@example.org", "192.0.2.1"); wait != time.Second {
			t.Fatal("knocking made the wait longer")
		}
	}
	clk.Add(time.Second)
	if _, wait := th.take("anna@example.org", "192.0.2.1"); wait != 0 {
		t.Errorf("after the wait it is %v", wait)
	}
}

// TestAnAttackerDoesNotLockAPersonOut: the account's own limit never waits longer than a minute.
func TestAnAttackerDoesNotLockAPersonOut(t *testing.T) {
	t.Parallel()
	th, clk := fresh()
	for i := range 500 {
		th.take("anna@example.org", fmt.Sprint("192.0.2.", i%200))
		clk.Add(time.Second)
	}
	if _, wait := th.take("anna@example.org", "198.51.100.7"); wait > accountLimit.longest {
		t.Errorf("the person waits %v", wait)
	}
}

func TestManyAccountsFromOneAddress(t *testing.T) {
	t.Parallel()
	th, _ := fresh()
	n := 0
	for i := range 200 {
		if _, wait := th.take(fmt.Sprint("user", i, "@example.org"), "192.0.2.1"); wait == 0 {
			n++
		}
	}
	if n != addressLimit.free {
		t.Errorf("%d accounts could be tried from one address", n)
	}
}

func TestSuccessForgetsTheAccountAndNotTheAddress(t *testing.T) {
	t.Parallel()
	th, _ := fresh()
	n := 0
	for i := range 200 {
		if _, wait := th.take(fmt.Sprint("user", i, "@example.org"), "192.0.2.1"); wait == 0 {
			n++
		}
		if try, wait := th.take("mallory@example.org", "192.0.2.1"); wait == 0 {
			th.succeeded(try)
		}
	}
	if n > addressLimit.free {
		t.Errorf("an account of one's own bought %d guesses", n)
	}
	th, _ = fresh()
	for range 3 * pairLimit.free {
		try, wait := th.take("anna@example.org", "192.0.2.1")
		if wait > 0 {
			t.Fatalf("a person who signs in waits %v", wait)
		}
		th.succeeded(try)
	}
}

func TestOldAttemptsAreForgotten(t *testing.T) {
	t.Parallel()
	th, clk := fresh()
	for range pairLimit.free - 1 {
		th.take("anna@example.org", "192.0.2.1")
	}
	clk.Add(forgetAfter + time.Second)
	for i := range pairLimit.free {
		if _, wait := th.take("anna@example.org", "192.0.2.1"); wait > 0 {
			t.Errorf("try %d after an hour waits %v", i, wait)
		}
	}
}

func TestAClockThatWentBackLocksNobodyOut(t *testing.T) {
	t.Parallel()
	th, clk := fresh()
	for range pairLimit.free {
		th.take("anna@example.org", "192.0.2.1")
	}
	clk.Set(start.Add(-24 * time.Hour))
	if _, wait := th.take("anna@example.org", "192.0.2.1"); wait > pairLimit.longest {
		t.Errorf("the wait is %v", wait)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	th, _ := fresh()
	for i := range 20_000 {
		th.take(fmt.Sprint("user", i, "@example.org"), fmt.Sprint(i))
	}
	if n := len(th.seen); n > maxKept+3 {
		t.Errorf("%d keys are kept", n)
	}
}

// TestManyWhoSignInAtOneAddress: an office's successes are no guesses, one after the other or all at once; what was
// guessed there before and meanwhile stays counted.
func TestManyWhoSignInAtOneAddress(t *testing.T) {
	t.Parallel()
	const from = "192.0.2.1"
	th, clk := fresh()
	signIn := func(i int) attempt {
		try, wait := th.take(fmt.Sprint("user", i, "@example.org"), from)
		if wait > 0 {
			t.Fatalf("sign-in %d waits %v", i, wait)
		}
		return try
	}
	for i := range 3 * addressLimit.free {
		th.succeeded(signIn(i))
	}
	if len(th.seen) != 0 {
		t.Errorf("%d keys are kept of successes", len(th.seen))
	}
	under := make([]attempt, addressLimit.free)
	for i := range under {
		under[i] = signIn(i)
	}
	for _, try := range under {
		th.succeeded(try)
	}
	th.succeeded(signIn(0))

	guess := func() time.Duration {
		_, wait := th.take(fmt.Sprint("guessed", clk.Now().UnixNano(), "@example.org"), from)
		return wait
	}
	for range addressLimit.free - 2 {
		clk.Add(time.Millisecond)
		if wait := guess(); wait > 0 {
			t.Fatalf("a guess waits %v", wait)
		}
	}
	was := th.seen["a:"+from]
	for i := range 100 { // one before the last
		clk.Add(time.Millisecond)
		th.succeeded(signIn(i))
	}
	if now := th.seen["a:"+from]; now != was {
		t.Errorf("successes changed %+v to %+v", was, now)
	}
	own := signIn(7) // under way while somebody guesses
	clk.Add(time.Millisecond)
	if wait := guess(); wait > 0 {
		t.Fatalf("the last guess but one waits %v", wait)
	}
	th.succeeded(own)
	if now := th.seen["a:"+from]; now.N != was.N+1 || now.Last != clk.Now().UnixMilli() {
		t.Errorf("after a guess during a success: %+v", now)
	}
	clk.Add(time.Second)
	if wait := guess(); wait > 0 {
		t.Fatalf("the last guess waits %v", wait)
	}
	if wait := guess(); wait != time.Second {
		t.Errorf("one guess more waits %v", wait)
	}
}
