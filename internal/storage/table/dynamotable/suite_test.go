package dynamotable_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/dynamotable"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/testkit/tabletest"
)

// connect makes a table of its own on an endpoint of loopback.
func connect(tb testing.TB, endpoint string) *dynamotable.Driver {
	tb.Helper()
	cfg := aws.Config{
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}
	d := dynamotable.New(cfg, doubles.Name("table"), func(o *dynamodb.Options) { o.BaseEndpoint = &endpoint })
	if err := d.CreateTable(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return d
}

//
func TestConformanceOnDynalite(t *testing.T) {
	t.Parallel()
	d := connect(t, doubles.Dynalite(t))
	tabletest.Run(t, tabletest.Harness{
		New:   func(_ testing.TB, o table.Options) *table.Table { return table.New(d, o) },
		Allow: []tabletest.Difference{tabletest.ConditionUnits},
	})
}

func TestConformanceOnMoto(t *testing.T) {
	t.Parallel()
	d := connect(t, doubles.Moto(t))
	tabletest.Run(t, tabletest.Harness{
		New: func(_ testing.TB, o table.Options) *table.Table { return table.New(d, o) },
		Allow: []tabletest.Difference{tabletest.UnitsWrong, tabletest.EarlyTooLarge, tabletest.NoKeyAtLimit,
			tabletest.TypesClash, tabletest.Slow},
	})
}

func TestRandomOnDynalite(t *testing.T) {
	t.Parallel()
	d := connect(t, doubles.Dynalite(t))
	h := tabletest.Harness{New: func(_ testing.TB, o table.Options) *table.Table { return table.New(d, o) }}
	for seed := range uint64(2) {
		tabletest.Random(t, h, seed, 400)
	}
}
