// Example client for the token and estimate endpoints; needs only the standard library.
//
//	go build -o client examples/go/client.go && npx fareproof certify -- ./client
package main

import (
	"bytes"
	"crypto/md5"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

var (
	baseURL    = os.Getenv("FAREPROOF_BASE_URL")
	partnerID  = os.Getenv("FAREPROOF_PARTNER_ID")
	signingKey = os.Getenv("FAREPROOF_SIGNING_KEY")
	authCode   = os.Getenv("FAREPROOF_AUTH_CODE")
	asUser     = os.Getenv("FAREPROOF_MODE") == "user"
	estimates  = number("FAREPROOF_ESTIMATES", 3)
	interval   = time.Duration(number("FAREPROOF_INTERVAL_MS", 1000)) * time.Millisecond
)

const (
	tries      = 3
	whitespace = " \t\n\v\f\r"
	alphabet   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// errBanned: three token requests in a row were refused. Stop, the partner may be banned.
var errBanned = errors.New("banned: three token requests were refused in a row")

var client = http.Client{
	Timeout: 10 * time.Second,
	// Credentials go to no other address.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// sign returns MD5(MD5(S) + key); S is the sorted, non-empty pairs as key=value, joined with &.
func sign(pairs map[string]string) string {
	keys := make([]string, 0, len(pairs))
	for key, value := range pairs {
		if value != "" {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	terms := make([]string, len(keys))
	for at, key := range keys {
		terms[at] = strings.Trim(key, whitespace) + "=" + strings.Trim(pairs[key], whitespace)
	}
	text := strings.Trim(strings.Join(terms, "&"), "&")
	inner := fmt.Sprintf("%x", md5.Sum([]byte(text)))
	return fmt.Sprintf("%x", md5.Sum([]byte(inner+signingKey)))
}

// send returns status and body of the answer, or an error if it did not arrive whole.
func send(method, path string, credentials, contentType string, body []byte) (int, []byte, time.Duration, error) {
	request, err := http.NewRequest(method, baseURL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, 0, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Authorization", "Bearer "+partnerID+"|"+credentials)
	answer, err := client.Do(request)
	if err != nil {
		return 0, nil, 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return answer.StatusCode, text, time.Duration(seconds) * time.Second, err
}

// tokens holds one token: reuses it while it is valid, refreshes it before it expires.
type tokens struct {
	access, refresh string
	renewAt         time.Time
	refusals        int
}

func (t *tokens) get() (string, error) {
	if t.access != "" && time.Now().Before(t.renewAt) {
		return t.access, nil
	}
	if t.refresh != "" {
		// A refresh_token works once: forget it first, so that it is never sent again.
		sent := t.refresh
		t.refresh = ""
		access, err := t.request(map[string]string{"grant_type": "refresh_token", "refresh_token": sent})
		if err == nil || errors.Is(err, errBanned) {
			return access, err
		}
		fmt.Fprintln(os.Stderr, "refresh failed, requesting a new token:", err)
	}
	for attempt := 1; attempt <= tries; attempt++ {
		access, err := t.request(firstGrant())
		if err == nil || errors.Is(err, errBanned) {
			return access, err
		}
		fmt.Fprintln(os.Stderr, "no token:", err)
		pause(attempt)
	}
	return "", errors.New("no token")
}

func firstGrant() map[string]string {
	if asUser {
		scope := "public rides.read rides.request"
		return map[string]string{"grant_type": "authorization_code", "auth_code": authCode, "scope": scope}
	}
	return map[string]string{"grant_type": "client_credentials"}
}

func (t *tokens) request(fields map[string]string) (string, error) {
	if t.refusals >= 3 {
		return "", errBanned
	}
	t.access = ""
	fields["_"] = time.Now().UTC().Format(time.RFC3339)
	fields["nostr"] = randomText(6)
	body, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	status, text, _, err := send("POST", "/v1/oauth/token", sign(fields), "application/json", body)
	if err != nil {
		return "", err
	}
	if status != http.StatusOK {
		t.refusals++
		return "", fmt.Errorf("token refused with %d", status)
	}
	t.refusals = 0
	var token struct {
		Access  string  `json:"access_token"`
		Refresh string  `json:"refresh_token"`
		Life    float64 `json:"expires_in_second"`
	}
	if err := json.Unmarshal(text, &token); err != nil {
		return "", fmt.Errorf("token not readable: %w", err)
	}
	if token.Access == "" || token.Refresh == "" || token.Life <= 0 {
		return "", errors.New("token not readable")
	}
	t.access, t.refresh = token.Access, token.Refresh
	life := time.Duration(token.Life * float64(time.Second))
	margin := life / 5
	if margin > time.Minute {
		margin = time.Minute
	}
	t.renewAt = time.Now().Add(life - margin)
	return t.access, nil
}

// record is a price of an answer; prices are in fen.
type record struct {
	ProductType   string  `json:"product_type"`
	EstimatePrice float64 `json:"estimate_price"`
	CarpoolInfo   []struct {
		Seat          int     `json:"seat"`
		EstimatePrice float64 `json:"estimate_price"`
	} `json:"carpool_info"`
}

// estimate returns the records for a query; it tries again after a failure.
func estimate(t *tokens, query map[string]string) ([]record, error) {
	parameters := url.Values{}
	for key, value := range query {
		parameters.Set(key, value)
	}
	path := "/v1/estimates/prices?" + parameters.Encode()
	for attempt := 1; attempt <= tries; attempt++ {
		token, err := t.get()
		if err != nil {
			return nil, err
		}
		credentials := token
		if asUser {
			credentials = sign(query) + " openid|" + token
		}
		status, text, wait, err := send("GET", path, credentials, "application/x-www-form-urlencoded", nil)
		var records []record
		if err == nil && status == http.StatusOK {
			if err = json.Unmarshal(text, &records); err == nil {
				return records, nil
			}
		}
		if status == http.StatusUnauthorized {
			// For instance since a newer one was issued.
			t.access = ""
		}
		fmt.Fprintln(os.Stderr, "no estimate:", status, err)
		if wait > 0 {
			time.Sleep(wait)
		} else {
			pause(attempt)
		}
	}
	return nil, errors.New("no estimate")
}

func main() {
	var held tokens
	for at := 0; at < estimates; at++ {
		if at > 0 {
			time.Sleep(interval)
		}
		records, err := estimate(&held, map[string]string{
			"start_lat":      "39.9087",
			"start_lng":      "116.3975",
			"from_name":      text("FAREPROOF_FROM_NAME", "天安门 Tiananmen"),
			"end_lat":        "39.9929",
			"end_lng":        "116.3106",
			"to_name":        text("FAREPROOF_TO_NAME", "颐和园 Summer Palace"),
			"product_type":   "private-car",
			"ride_type":      "compact",
			"departure_time": strconv.FormatInt(time.Now().Unix()+1800, 10),
		})
		if errors.Is(err, errBanned) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		for _, record := range records {
			fmt.Printf("%s: %.2f CNY\n", record.ProductType, record.EstimatePrice/100)
			for _, option := range record.CarpoolInfo {
				seats := "any number of"
				if option.Seat > 0 {
					seats = strconv.Itoa(option.Seat)
				}
				fmt.Printf("  shared, %s seats: %.2f CNY\n", seats, option.EstimatePrice/100)
			}
		}
	}
}

func pause(attempt int) { time.Sleep(time.Duration(attempt) * 100 * time.Millisecond) }

// text returns the value of a variable, or a default where it is not set.
func text(name, otherwise string) string {
	if value, isSet := os.LookupEnv(name); isSet {
		return value
	}
	return otherwise
}

func randomText(length int) string {
	text := make([]byte, length)
	for at := range text {
		index, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			panic(err)
		}
		text[at] = alphabet[index.Int64()]
	}
	return string(text)
}

func number(name string, otherwise int) int {
	if value, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return value
	}
	return otherwise
}
