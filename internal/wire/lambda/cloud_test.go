package lambda_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/table/dynamotable"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// openCloud makes a table, a bucket and a queue on local endpoints, and opens the cloud home on them as a
// function does: by variables alone.
func openCloud(t *testing.T) *wire.App {
	t.Helper()
	tables, blobs, queues := doubles.Dynalite(t), doubles.Moto(t), doubles.Fauxqs(t)
	cfg := aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	name := doubles.Name("cloud")
	if err := dynamotable.New(cfg, name, func(o *dynamodb.Options) {
		o.BaseEndpoint = &tables
	}).CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := s3.NewFromConfig(cfg, func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = &blobs, true }).
		CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name})
	if err != nil {
		t.Fatal(err)
	}
	q, err := sqs.NewFromConfig(cfg, func(o *sqs.Options) { o.BaseEndpoint = &queues }).
		CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_SESSION_TOKEN":         "test",
		"AWS_ENDPOINT_URL_DYNAMODB": tables, "AWS_ENDPOINT_URL_S3": blobs, "AWS_ENDPOINT_URL_SQS": queues,
		"RURI_TABLE": name, "RURI_BUCKET": name, "RURI_QUEUE_URL": *q.QueueUrl, "RURI_ALLOW_NETS": "127.0.0.0/8",
		"RURI_LOG_LEVEL": "error",
	}
	app, err := awswire.Open("test", func(k string) (string, bool) { v, ok := env[k]; return v, ok }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// TestCloudBackend goes the way of a feed over DynamoDB, S3 and SQS as their doubles play them: added by
// address, imported and crawled by message, listed, read, starred, left.
func TestCloudBackend(t *testing.T) {
	t.Parallel()
	app := openCloud(t)
	srv, _ := publisher(t)
	owner, err := app.Auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := app.Auth.NewToken(t.Context(), owner.ID(), "test", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	handler := app.Handler()
	call := func(status int, method, path, body string, into any) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, r)
		if rec.Code != status {
			t.Fatalf("%s %s answers %d: %s", method, path, rec.Code, rec.Body)
		}
		if into != nil {
			if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil {
				t.Fatal(err)
			}
		}
	}
	type feed struct {
		ID, Status             string
		UnreadCount, ItemCount int
	}
	var added struct{ Feed feed }
	call(201, "POST", "/api/feeds", `{"url":"`+srv.URL+`/a"}`, &added)
	if added.Feed.ItemCount != 1 || added.Feed.Status != "active" {
		t.Errorf("the added feed is %+v", added.Feed)
	}
	// below the bound of one machine
	call(413, "POST", "/api/import/opml", strings.Repeat(" ", awswire.MaxUpload+1), nil)
	call(409, "POST", "/api/feeds/"+added.Feed.ID+"/refresh", "", nil)

	call(200, "POST", "/api/import/opml", `<opml version="2.0"><body><outline text="b" xmlUrl="`+srv.URL+
		`/b"/></body></opml>`, nil)
	messages, err := app.Queue.Receive(t.Context(), 10, 0)
	messages = slices.DeleteFunc(messages, func(d queue.Delivery) bool {
		return strings.Contains(string(d.Body), `"icon"`)
	})
	if err != nil || len(messages) != 1 {
		t.Fatalf("an import sent %d messages, %v", len(messages), err)
	}
	answer, err := lambda.Crawl(app)(t.Context(), events.SQSEvent{Records: []events.SQSMessage{
		{MessageId: messages[0].ID, ReceiptHandle: messages[0].Handle, Body: string(messages[0].Body)},
	}})
	if err != nil || len(answer.BatchItemFailures) != 0 {
		t.Fatalf("the message answered %+v, %v", answer, err)
	}
	if err := app.Queue.Ack(t.Context(), messages[0]); err != nil {
		t.Error(err)
	}

	var side struct{ Feeds []feed }
	call(200, "GET", "/api/feeds", "", &side)
	for _, f := range side.Feeds {
		if f.Status != "active" || f.UnreadCount != 1 {
			t.Errorf("in the side bar: %+v", f)
		}
	}
	var page struct{ Items []struct{ ID, Title string } }
	call(200, "GET", "/api/items", "", &page)
	if len(side.Feeds) != 2 || len(page.Items) != 2 || page.Items[0].Title != "One" {
		t.Fatalf("%d feeds with items %+v", len(side.Feeds), page.Items)
	}
	item := "/api/items/" + page.Items[0].ID
	var one struct {
		Item struct{ ContentState, ContentHTML string }
	}
	for range 2 { // parsed, then from the cache
		call(200, "GET", item, "", &one)
		if one.Item.ContentState != "full" || !strings.Contains(one.Item.ContentHTML, "Text.") {
			t.Errorf("the body is %s %.60s", one.Item.ContentState, one.Item.ContentHTML)
		}
	}
	var state struct {
		Totals struct{ Unread, Starred int }
	}
	call(200, "PUT", item+"/state", `{"isRead":true,"isStarred":true}`, &state)
	if state.Totals.Unread != 1 || state.Totals.Starred != 1 {
		t.Errorf("the totals are %+v", state.Totals)
	}
	for _, f := range side.Feeds {
		call(204, "DELETE", "/api/feeds/"+f.ID, "", nil)
	}
	call(200, "GET", item, "", &one) // a star outlives its feed
	var runs struct{ Runs []struct{ Kind string } }
	call(200, "GET", "/api/runs", "", &runs)
	if len(runs.Runs) == 0 {
		t.Error("no run left its row")
	}
}

func TestCloudBackendNamesMissingSettings(t *testing.T) {
	t.Parallel()
	_, err := awswire.Open("test", func(k string) (string, bool) {
		return "x", strings.HasPrefix(k, "RURI_TABLE") || strings.HasPrefix(k, "RURI_BUCKET")
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "RURI_QUEUE_URL") || strings.Contains(err.Error(), "RURI_TABLE") {
		t.Errorf("without a queue: %v", err)
	}
	_, err = awswire.Open("test", func(k string) (string, bool) {
		return "x", k == "RURI_TABLE" || k == "RURI_BUCKET" || k == "RURI_QUEUE_URL" || k == "AWS_REGION"
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") ||
		strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("without credentials: %v", err)
	}
}
