package rehearse

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ruri-reader/ruri/internal/assets/webui"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// uploadPage puts the built page into its bucket, as `make deploy` does: each file with the headers that the single
// binary serves it with.
func uploadPage(ctx context.Context, client *s3.Client, bucket, dir string) error {
	files, err := webui.Files(os.DirFS(dir))
	if err != nil {
		return err
	}
	for _, f := range files {
		body, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			return err
		}
		_, err = client.PutObject(ctx, &s3.PutObjectInput{
			Bucket: &bucket, Key: &f.Name, Body: bytes.NewReader(body), ContentType: &f.ContentType,
			CacheControl: &f.CacheControl,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var queueCounts = []sqstypes.QueueAttributeName{
	sqstypes.QueueAttributeNameApproximateNumberOfMessages,
	sqstypes.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	sqstypes.QueueAttributeNameApproximateNumberOfMessagesDelayed,
}

// putParameter writes a parameter of a kind, String or SecureString, as an owner does once before deploying.
func putParameter(ctx context.Context, endpoint, kind, name, value string) error {
	body := fmt.Sprintf(`{"Name":%q,"Value":%q,"Type":%q,"Overwrite":true}`, name, value, kind)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.1")
	req.Header.Set("X-Amz-Target", "AmazonSSM.PutParameter")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=owner/20260101/"+lambdahost.Region+
		"/ssm/aws4_request, SignedHeaders=host, Signature=0")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("rehearse: the parameter %s could not be written: %s", name, res.Status)
	}
	return nil
}
