package extract

import "testing"

func TestFileType(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]string{
		{"", "https://m.example/a.mp3"}:                                          "audio/mpeg",
		{"application/octet-stream", "https://m.example/a.m4a?x=1"}:              "audio/mp4",
		{"AUDIO/MPEG", "https://m.example/play"}:                                 "audio/mpeg",
		{"audio/mpeg; charset=binary", "https://m.example/a"}:                    "audio/mpeg",
		{"audio/x-m4a", "https://m.example/a.m4a"}:                               "audio/mp4",
		{"", "https://m.example/a.MP4"}:                                          "video/mp4",
		{"image/jpeg", "https://m.example/a.mp3"}:                                "image/jpeg",
		{"application/pdf", "https://m.example/a.pdf"}:                           "application/pdf",
		{"", "https://m.example/file"}:                                           "",
		{"application/x-shockwave-flash", "https://www.video.example/v/abc"}:     "-",
		{"", "https://m.example/movie.swf"}:                                      "-",
		{"Application/X-Shockwave-Flash", "https://www.video.example/v/abc?v=3"}: "-",
	} {
		got, ok := FileType(in[0], in[1])
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("FileType(%q) = %q, want %q", in, got, want)
		}
	}
}
