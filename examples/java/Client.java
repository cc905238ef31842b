import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Example client for the token and estimate endpoints; needs Java 17 and only its standard library.
 *
 * <pre>javac -encoding UTF-8 -d client examples/java/*.java &amp;&amp; npx fareproof certify -- java -cp client Client</pre>
 */
public final class Client {
    private static final String BASE_URL = System.getenv("FAREPROOF_BASE_URL");
    private static final String PARTNER_ID = System.getenv("FAREPROOF_PARTNER_ID");
    private static final String SIGNING_KEY = System.getenv("FAREPROOF_SIGNING_KEY");
    private static final String AUTH_CODE = setting("FAREPROOF_AUTH_CODE", "");
    private static final boolean AS_USER = setting("FAREPROOF_MODE", "platform").equals("user");
    private static final int ESTIMATES = Integer.parseInt(setting("FAREPROOF_ESTIMATES", "3"));
    private static final long INTERVAL_MS = Long.parseLong(setting("FAREPROOF_INTERVAL_MS", "1000"));

    private static final int TRIES = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** HTTP/1.1: the default asks for an upgrade to HTTP/2. Redirects are not followed. */
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    private String accessToken;
    private String refreshToken;
    private long renewAtNs;
    private int refusals;

    /** A request failed: refused, answer lost, or answer not readable. */
    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }
    }

    /** Three token requests in a row were refused: stop, the partner may be banned. */
    private static final class Banned extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** MD5(MD5(S) + key); S is the sorted, non-empty pairs as key=value, joined with &amp;. */
    static String sign(Map<String, String> pairs) {
        String text = pairs.entrySet().stream()
                .filter(pair -> !pair.getValue().isEmpty())
                .sorted((a, b) -> Arrays.compareUnsigned(bytes(a.getKey()), bytes(b.getKey())))
                .map(pair -> trim(pair.getKey()) + "=" + trim(pair.getValue()))
                .collect(Collectors.joining("&"));
        return md5(md5(text.replaceAll("^&+|&+$", "")) + SIGNING_KEY);
    }

    private static String trim(String text) {
        return text.replaceAll("^[ \\t\\n\\x0B\\f\\r]+|[ \\t\\n\\x0B\\f\\r]+$", "");
    }

    private static String md5(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes(text)));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Sends a request, and returns the answer if it arrived whole. */
    private static HttpResponse<String> send(HttpRequest.Builder request, String path, String type, String credentials)
            throws Failed {
        HttpRequest built = request.uri(URI.create(BASE_URL + path))
                .timeout(TIMEOUT)
                .header("Content-Type", type)
                .header("Authorization", "Bearer " + PARTNER_ID + "|" + credentials)
                .build();
        try {
            return HTTP.send(built, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException error) {
            throw new Failed(built.method() + " " + built.uri().getPath() + ": " + error);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Returns a token: the one that is held while it is valid, a refreshed one before it expires, else a new one. */
    private String token() throws Failed {
        if (accessToken != null && System.nanoTime() - renewAtNs < 0) return accessToken;
        if (refreshToken != null) {
            // A refresh_token works once: forget it first, so that it is never sent again.
            String sent = refreshToken;
            refreshToken = null;
            try {
                return requestToken(Map.of("grant_type", "refresh_token", "refresh_token", sent));
            } catch (Failed error) {
                System.err.println("refresh failed, requesting a new token: " + error.getMessage());
            }
        }
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            try {
                return requestToken(firstGrant());
            } catch (Failed error) {
                System.err.println("no token: " + error.getMessage());
                sleep(100L * attempt);
            }
        }
        throw new Failed("no token");
    }

    private static Map<String, String> firstGrant() {
        return AS_USER
                ? Map.of(
                        "grant_type", "authorization_code",
                        "auth_code", AUTH_CODE,
                        "scope", "public rides.read rides.request")
                : Map.of("grant_type", "client_credentials");
    }

    private String requestToken(Map<String, String> grant) throws Failed {
        if (refusals >= 3) throw new Banned();
        accessToken = null;
        Map<String, String> fields = new HashMap<>(grant);
        fields.put("_", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        fields.put("nostr", randomText(6));
        HttpRequest.Builder post = HttpRequest.newBuilder()
                .POST(HttpRequest.BodyPublishers.ofString(Json.write(fields), StandardCharsets.UTF_8));
        HttpResponse<String> answer = send(post, "/v1/oauth/token", "application/json", sign(fields));
        if (answer.statusCode() != 200) {
            refusals++;
            throw new Failed("token refused with " + answer.statusCode());
        }
        refusals = 0;
        try {
            Map<?, ?> token = (Map<?, ?>) Json.read(answer.body());
            String access = (String) token.get("access_token");
            String refresh = (String) token.get("refresh_token");
            double lifeS = ((BigDecimal) token.get("expires_in_second")).doubleValue();
            if (access == null || refresh == null) throw new Failed("token not readable");
            accessToken = access;
            refreshToken = refresh;
            renewAtNs = System.nanoTime() + (long) ((lifeS - Math.min(60, lifeS / 5)) * 1e9);
            return access;
        } catch (IllegalArgumentException | ClassCastException | NullPointerException error) {
            throw new Failed("token not readable: " + error);
        }
    }

    /** Returns the records for a query; tries again after a failure. */
    private List<?> estimate(Map<String, String> query) throws Failed {
        String encoded = query.entrySet().stream()
                .map(pair -> pair.getKey() + "=" + URLEncoder.encode(pair.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            String token = token();
            long pauseMs = 100L * attempt;
            String credentials = AS_USER ? sign(query) + " openid|" + token : token;
            try {
                HttpResponse<String> answer = send(
                        HttpRequest.newBuilder().GET(),
                        "/v1/estimates/prices?" + encoded,
                        "application/x-www-form-urlencoded",
                        credentials);
                if (answer.statusCode() == 200) return (List<?>) Json.read(answer.body());
                pauseMs = Math.max(pauseMs, 1000 * answer.headers().firstValueAsLong("Retry-After").orElse(0));
                // For instance since a newer one was issued.
                if (answer.statusCode() == 401) accessToken = null;
                System.err.println("estimate refused with " + answer.statusCode());
            } catch (Failed | IllegalArgumentException | ClassCastException error) {
                System.err.println("no estimate: " + error);
            }
            sleep(pauseMs);
        }
        throw new Failed("no estimate");
    }

    public static void main(String[] arguments) {
        Client client = new Client();
        for (int number = 0; number < ESTIMATES; number++) {
            if (number > 0) sleep(INTERVAL_MS);
            Map<String, String> query = Map.of(
                    "start_lat", "39.9087",
                    "start_lng", "116.3975",
                    "from_name", System.getenv().getOrDefault("FAREPROOF_FROM_NAME", "天安门 Tiananmen"),
                    "end_lat", "39.9929",
                    "end_lng", "116.3106",
                    "to_name", System.getenv().getOrDefault("FAREPROOF_TO_NAME", "颐和园 Summer Palace"),
                    "product_type", "private-car",
                    "ride_type", "compact",
                    "departure_time", String.valueOf(Instant.now().getEpochSecond() + 1800));
            try {
                for (Object each : client.estimate(query)) print((Map<?, ?>) each);
            } catch (Failed error) {
                System.err.println(error.getMessage());
            } catch (Banned error) {
                System.err.println("banned: three token requests were refused in a row");
                System.exit(1);
            }
        }
    }

    private static void print(Map<?, ?> record) {
        System.out.println(record.get("product_type") + ": " + yuan(record) + " CNY");
        if (!(record.get("carpool_info") instanceof List<?> options)) return;
        for (Object each : options) {
            Map<?, ?> option = (Map<?, ?>) each;
            Object seats = option.containsKey("seat") ? option.get("seat") : "any number of";
            System.out.println("  shared, " + seats + " seats: " + yuan(option) + " CNY");
        }
    }

    /** Price of a record or option; the service gives it in fen. */
    private static BigDecimal yuan(Map<?, ?> priced) {
        return ((BigDecimal) priced.get("estimate_price")).movePointLeft(2);
    }

    private static String randomText(int length) {
        return RANDOM.ints(length, 0, ALPHABET.length())
                .mapToObj(at -> ALPHABET.substring(at, at + 1))
                .collect(Collectors.joining());
    }

    private static String setting(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }
}
