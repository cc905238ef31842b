<?php
/**
 * Example client for the token and estimate endpoints; needs PHP 8.1 without extensions.
 *
 *     fareproof certify -- php examples/php/client.php
 */
declare(strict_types=1);

define('BASE_URL', getenv('FAREPROOF_BASE_URL'));
define('PARTNER_ID', getenv('FAREPROOF_PARTNER_ID'));
define('SIGNING_KEY', getenv('FAREPROOF_SIGNING_KEY'));
define('AS_USER', getenv('FAREPROOF_MODE') === 'user');
const TRIES = 3;
const WHITESPACE = " \t\n\v\f\r";

/** A request failed: refused, answer lost, or answer not readable. */
class Failed extends Exception {}
/** Three token requests in a row were refused: stop, the partner may be banned. */
class Banned extends Exception {}

/** MD5(MD5(S) . key); S is the sorted, non-empty pairs as key=value, joined with &. */
function sign(array $pairs): string
{
    ksort($pairs, SORT_STRING);
    $terms = [];
    foreach ($pairs as $key => $value) {
        if ($value === null || $value === '' || $value === []) {
            continue;
        }
        if (is_array($value)) {
            $value = json_encode($value, JSON_UNESCAPED_UNICODE);
        }
        $terms[] = trim((string) $key, WHITESPACE) . '=' . trim((string) $value, WHITESPACE);
    }
    return md5(md5(trim(implode('&', $terms), '&')) . SIGNING_KEY);
}

/** Returns status and text of the answer; throws Failed if it did not arrive whole. */
function send(string $method, string $path, array $headers, string $body = ''): array
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => implode("\r\n", [...$headers, 'Connection: close']),
        'content' => $body,
        'timeout' => 10,
        'ignore_errors' => true, // any status is an answer
        'follow_location' => 0, // credentials go to no other address
    ]]);
    $stream = @fopen(BASE_URL . $path, 'r', false, $context);
    if ($stream === false) {
        throw new Failed("$method $path: no answer");
    }
    $text = stream_get_contents($stream);
    $head = stream_get_meta_data($stream)['wrapper_data'];
    fclose($stream);
    // PHP does not report a stream that broke off: compare its length with Content-Length.
    $wait = 0;
    foreach ($head as $line) {
        if (preg_match('/^Retry-After: *(\d+)/i', $line, $match)) {
            $wait = (int) $match[1];
        }
        if (preg_match('/^Content-Length: *(\d+)/i', $line, $match) && strlen($text) < (int) $match[1]) {
            throw new Failed("$method $path: the answer is incomplete");
        }
    }
    return [(int) explode(' ', $head[0])[1], $text, $wait];
}

/** Holds one token: reuses it while it is valid, refreshes it before it expires. */
class Tokens
{
    private ?string $access = null;
    private ?string $refresh = null;
    private float $renewAt = 0;
    private int $refusals = 0;

    public function get(): string
    {
        if ($this->access !== null && microtime(true) < $this->renewAt) {
            return $this->access;
        }
        if ($this->refresh !== null) {
            // A refresh_token works once: forget it first, so that it is never sent again.
            $sent = $this->refresh;
            $this->refresh = null;
            try {
                return $this->request(['grant_type' => 'refresh_token', 'refresh_token' => $sent]);
            } catch (Failed $error) {
                fwrite(STDERR, "refresh failed, requesting a new token: {$error->getMessage()}\n");
            }
        }
        for ($attempt = 1; $attempt <= TRIES; $attempt++) {
            try {
                return $this->request(AS_USER
                    ? [
                        'grant_type' => 'authorization_code',
                        'auth_code' => getenv('FAREPROOF_AUTH_CODE'),
                        'scope' => 'public rides.read rides.request',
                    ]
                    : ['grant_type' => 'client_credentials']);
            } catch (Failed $error) {
                fwrite(STDERR, "no token: {$error->getMessage()}\n");
                usleep(100_000 * $attempt);
            }
        }
        throw new Failed('no token');
    }

    /** Forgets a token that the service refused, for instance since a newer one was issued. */
    public function drop(): void
    {
        $this->access = null;
    }

    private function request(array $grant): string
    {
        if ($this->refusals >= 3) {
            throw new Banned();
        }
        $this->access = null;
        $letters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
        $nostr = '';
        for ($i = 0; $i < 6; $i++) {
            $nostr .= $letters[random_int(0, 61)];
        }
        $fields = [...$grant, '_' => gmdate('Y-m-d\TH:i:s\Z'), 'nostr' => $nostr];
        [$status, $text] = send('POST', '/v1/oauth/token', [
            'Content-Type: application/json',
            'Authorization: Bearer ' . PARTNER_ID . '|' . sign($fields),
        ], json_encode($fields, JSON_UNESCAPED_UNICODE));
        if ($status !== 200) {
            $this->refusals++;
            throw new Failed("token refused with $status");
        }
        $this->refusals = 0;
        $token = json_decode($text, true);
        if (!is_string($token['access_token'] ?? null)) {
            throw new Failed('token not readable');
        }
        $this->access = $token['access_token'];
        $this->refresh = $token['refresh_token'] ?? null;
        $life = (float) ($token['expires_in_second'] ?? 0);
        $this->renewAt = microtime(true) + $life - min(60, $life / 5);
        return $this->access;
    }
}

/** Returns the records for a query; retries a failure up to TRIES times. */
function estimate(Tokens $tokens, array $query): array
{
    for ($attempt = 1; $attempt <= TRIES; $attempt++) {
        $token = $tokens->get();
        $wait = 0;
        $second = AS_USER ? sign($query) . " openid|$token" : $token;
        try {
            [$status, $text, $wait] = send('GET', '/v1/estimates/prices?' . http_build_query($query), [
                'Content-Type: application/x-www-form-urlencoded',
                'Authorization: Bearer ' . PARTNER_ID . "|$second",
            ]);
            $records = $status === 200 ? json_decode($text, true) : null;
            if (is_array($records)) {
                return $records;
            }
            if ($status === 401) {
                $tokens->drop();
            }
            fwrite(STDERR, "estimate refused with $status, or not readable\n");
        } catch (Failed $error) {
            fwrite(STDERR, "no estimate: {$error->getMessage()}\n");
        }
        usleep(max(100_000 * $attempt, 1_000_000 * $wait));
    }
    throw new Failed('no estimate');
}

function text(string $name, string $default): string
{
    $given = getenv($name);
    return $given === false ? $default : $given;
}

$tokens = new Tokens();
for ($number = 0; $number < (int) getenv('FAREPROOF_ESTIMATES'); $number++) {
    if ($number > 0) {
        usleep(1000 * (int) getenv('FAREPROOF_INTERVAL_MS'));
    }
    try {
        $records = estimate($tokens, [
            'start_lat' => '39.9087',
            'start_lng' => '116.3975',
            'from_name' => text('FAREPROOF_FROM_NAME', '天安门 Tiananmen'),
            'end_lat' => '39.9929',
            'end_lng' => '116.3106',
            'to_name' => text('FAREPROOF_TO_NAME', '颐和园 Summer Palace'),
            'product_type' => 'private-car',
            'ride_type' => 'compact',
            'departure_time' => (string) (time() + 1800),
        ]);
        foreach ($records as $record) {
            printf("%s: %.2f CNY\n", $record['product_type'], $record['estimate_price'] / 100);
            foreach ($record['carpool_info'] ?? [] as $option) {
                $seats = $option['seat'] ?? 'any number of';
                printf("  shared, %s seats: %.2f CNY\n", $seats, $option['estimate_price'] / 100);
            }
        }
    } catch (Failed $error) {
        fwrite(STDERR, $error->getMessage() . "\n");
    } catch (Banned) {
        fwrite(STDERR, "banned: three token requests were refused in a row\n");
        exit(1);
    }
}
