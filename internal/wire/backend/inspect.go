package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
)

// Verify reads the database of a folder from beginning to end. A table of AWS checks itself.
func (h *Backend) Verify(ctx context.Context) error {
	if h.local == nil {
		return nil
	}
	return h.local.Verify(ctx)
}

const (
	driftPause = 2 * time.Second
	driftTries = 60
)

// Drift returns the names of the resources that were changed since the last deployment.
func (h *Backend) Drift(ctx context.Context) (names []string, err error) {
	client := cloudformation.NewFromConfig(h.aws)
	began, err := client.DetectStackDrift(ctx, &cloudformation.DetectStackDriftInput{StackName: &h.Stack.Name})
	if err != nil {
		return nil, denied(err, "cloudformation:DetectStackDrift")
	}
	for try := 0; ; try++ {
		s, err := client.DescribeStackDriftDetectionStatus(ctx,
			&cloudformation.DescribeStackDriftDetectionStatusInput{StackDriftDetectionId: began.StackDriftDetectionId})
		switch {
		case err != nil:
			return nil, denied(err, "cloudformation:DescribeStackDriftDetectionStatus")
		case s.DetectionStatus == types.StackDriftDetectionStatusDetectionComplete &&
			s.StackDriftStatus == types.StackDriftStatusInSync:
			return nil, nil
		case s.DetectionStatus != types.StackDriftDetectionStatusDetectionInProgress || try == driftTries:
			out, err := client.DescribeStackResourceDrifts(ctx, &cloudformation.DescribeStackResourceDriftsInput{
				StackName: &h.Stack.Name, StackResourceDriftStatusFilters: []types.StackResourceDriftStatus{
					types.StackResourceDriftStatusModified, types.StackResourceDriftStatusDeleted}})
			if err != nil {
				return nil, denied(err, "cloudformation:DescribeStackResourceDrifts")
			}
			for _, r := range out.StackResourceDrifts {
				names = append(names, aws.ToString(r.LogicalResourceId))
			}
			return names, nil
		}
		if err := clock.Sleep(ctx, driftPause); err != nil {
			return nil, err
		}
	}
}

func denied(err error, permission string) error {
	return withCause(fault.Newf(fault.Forbidden, "aws_denied", "%s failed: %v", permission, err), err)
}

// Alarm is one that is raised.
type Alarm struct {
	Name        string `json:"AlarmName"`
	Description string `json:"AlarmDescription"`
}

// Alarms returns the stack's alarms that are raised.
func (h *Backend) Alarms(ctx context.Context) ([]Alarm, error) {
	var out struct{ MetricAlarms []Alarm }
	err := h.cloudWatch(ctx, "DescribeAlarms",
		map[string]any{"StateValue": "ALARM", "AlarmNamePrefix": h.Stack.Name + "-", "MaxRecords": 100}, &out)
	return out.MetricAlarms, err
}

// Hour has the metrics of the last hour in CloudWatch.
type Hour struct{ Ticks, QueueAge float64 }

// LastHour returns how often the schedule fired within the last hour, and for how many seconds a message waited.
func (h *Backend) LastHour(ctx context.Context) (hour Hour, err error) {
	name, orchestrator := h.Stack.Name, "OrchestratorFunction"
	function, err := cloudformation.NewFromConfig(h.aws).DescribeStackResource(ctx,
		&cloudformation.DescribeStackResourceInput{StackName: &name, LogicalResourceId: &orchestrator})
	if err != nil {
		return hour, denied(err, "cloudformation:DescribeStackResource")
	}
	queue := h.Stack.QueueURL[strings.LastIndexByte(h.Stack.QueueURL, '/')+1:]
	query := func(id, space, metric, dimension, value, statistic string) map[string]any {
		return map[string]any{"Id": id, "MetricStat": map[string]any{"Period": 300, "Stat": statistic,
			"Metric": map[string]any{"Namespace": space, "MetricName": metric,
				"Dimensions": []any{map[string]any{"Name": dimension, "Value": value}}}}}
	}
	now := h.Clock.Now().Unix()
	var out struct {
		MetricDataResults []struct {
			ID     string `json:"Id"`
			Values []float64
		}
	}
	err = h.cloudWatch(ctx, "GetMetricData", map[string]any{
		"StartTime": now - 3600, "EndTime": now, "MetricDataQueries": []any{
			query("ticks", "AWS/Lambda", "Invocations", "FunctionName",
				aws.ToString(function.StackResourceDetail.PhysicalResourceId), "Sum"),
			query("age", "AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", queue, "Maximum"),
		}}, &out)
	for _, r := range out.MetricDataResults {
		for _, v := range r.Values {
			if r.ID == "ticks" {
				hour.Ticks += v
			} else {
				hour.QueueAge = max(hour.QueueAge, v)
			}
		}
	}
	return hour, err
}

// cloudWatch sends one request.
func (h *Backend) cloudWatch(ctx context.Context, action string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	resp, err := awswire.Post(ctx, h.aws, "monitoring", "application/x-amz-json-1.0",
		"GraniteServiceVersion20100801."+action, body, h.Clock.Now())
	if err != nil {
		return denied(err, "cloudwatch:"+action)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %.200s", resp.Status, text)
	}
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		return denied(err, "cloudwatch:"+action)
	}
	return nil
}
