"""Example client for the token and estimate endpoints; needs only the standard library.

    fareproof certify -- python3 examples/python/client.py
"""

import hashlib
import http.client
import json
import os
import random
import string
import sys
import time
import urllib.parse
from datetime import datetime, timezone

BASE_URL = os.environ["FAREPROOF_BASE_URL"]
PARTNER_ID = os.environ["FAREPROOF_PARTNER_ID"]
SIGNING_KEY = os.environ["FAREPROOF_SIGNING_KEY"]
AUTH_CODE = os.environ.get("FAREPROOF_AUTH_CODE", "")
AS_USER = os.environ.get("FAREPROOF_MODE") == "user"
ESTIMATES = int(os.environ.get("FAREPROOF_ESTIMATES", "3"))
INTERVAL_S = int(os.environ.get("FAREPROOF_INTERVAL_MS", "1000")) / 1000

TRIES = 3
TIMEOUT_S = 10
WHITESPACE = " \t\n\v\f\r"


class Failed(Exception):
    """A request failed: refused, answer lost, or answer not readable."""


class Banned(Exception):
    """Three token requests in a row were refused: stop, the partner may be banned."""


def sign(pairs):
    """MD5(MD5(S) + key); S is the sorted, non-empty pairs as key=value, joined with &."""
    terms = []
    for key in sorted(pairs, key=lambda name: name.encode()):
        value = pairs[key]
        if value is None or value == "" or value == []:
            continue
        if isinstance(value, (list, dict)):
            value = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("/", "\\/")
        terms.append(f"{key.strip(WHITESPACE)}={str(value).strip(WHITESPACE)}")
    text = "&".join(terms).strip("&")
    inner = hashlib.md5(text.encode()).hexdigest()
    return hashlib.md5((inner + SIGNING_KEY).encode()).hexdigest()


def send(method, path, headers, body=None):
    """Return status, text and Retry-After, in seconds; raise Failed if the answer did not arrive whole."""
    url = urllib.parse.urlsplit(BASE_URL + path)
    secure = url.scheme == "https"
    connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = connect(url.hostname, url.port, timeout=TIMEOUT_S)
    try:
        target = url.path + (f"?{url.query}" if url.query else "")
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        wait = answer.getheader("Retry-After", "0")
        return answer.status, answer.read().decode("utf-8"), int(wait) if wait.isdigit() else 0
    except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
        raise Failed(f"{method} {url.path}: {error!r}") from error
    finally:
        connection.close()


class Tokens:
    """Holds one token: reuses it while it is valid, refreshes it before it expires."""

    def __init__(self):
        self.access = None
        self.refresh = None
        self.renew_at = 0.0
        self.refusals = 0

    def get(self):
        if self.access and time.monotonic() < self.renew_at:
            return self.access
        if self.refresh:
            # A refresh_token works once: forget it first, so that it is never sent again.
            sent, self.refresh = self.refresh, None
            try:
                return self.request(grant_type="refresh_token", refresh_token=sent)
            except Failed as error:
                print(f"refresh failed, requesting a new token: {error}", file=sys.stderr)
        for attempt in range(1, TRIES + 1):
            try:
                return self.request(**self.first_grant())
            except Failed as error:
                print(f"no token: {error}", file=sys.stderr)
                time.sleep(0.1 * attempt)
        raise Failed("no token")

    def drop(self):
        """Forget a token that the service refused, for instance since a newer one was issued."""
        self.access = None

    @staticmethod
    def first_grant():
        if AS_USER:
            scope = "public rides.read rides.request"
            return {"grant_type": "authorization_code", "auth_code": AUTH_CODE, "scope": scope}
        return {"grant_type": "client_credentials"}

    def request(self, **grant):
        if self.refusals >= 3:
            raise Banned()
        self.access = None
        fields = {
            **grant,
            "_": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "nostr": "".join(random.SystemRandom().choices(string.ascii_letters + string.digits, k=6)),
        }
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {PARTNER_ID}|{sign(fields)}",
        }
        status, text, _ = send("POST", "/v1/oauth/token", headers, json.dumps(fields))
        if status != 200:
            self.refusals += 1
            raise Failed(f"token refused with {status}")
        self.refusals = 0
        try:
            token = json.loads(text)
            self.access, self.refresh = token["access_token"], token["refresh_token"]
            life = float(token["expires_in_second"])
        except (ValueError, KeyError, TypeError) as error:
            raise Failed(f"token not readable: {error!r}") from error
        self.renew_at = time.monotonic() + life - min(60, life / 5)
        return self.access


def estimate(tokens, query):
    """Return the records for a query; retry a failure up to TRIES times."""
    for attempt in range(1, TRIES + 1):
        token = tokens.get()
        wait = 0
        second = f"{sign(query)} openid|{token}" if AS_USER else token
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Authorization": f"Bearer {PARTNER_ID}|{second}",
        }
        try:
            path = "/v1/estimates/prices?" + urllib.parse.urlencode(query)
            status, text, wait = send("GET", path, headers)
            if status == 200:
                return json.loads(text)
            if status == 401:
                tokens.drop()
            print(f"estimate refused with {status}", file=sys.stderr)
        except (Failed, ValueError) as error:
            print(f"no estimate: {error!r}", file=sys.stderr)
        time.sleep(max(0.1 * attempt, wait))
    raise Failed("no estimate")


def main():
    tokens = Tokens()
    for number in range(ESTIMATES):
        if number:
            time.sleep(INTERVAL_S)
        query = {
            "start_lat": "39.9087",
            "start_lng": "116.3975",
            "from_name": os.environ.get("FAREPROOF_FROM_NAME", "天安门 Tiananmen"),
            "end_lat": "39.9929",
            "end_lng": "116.3106",
            "to_name": os.environ.get("FAREPROOF_TO_NAME", "颐和园 Summer Palace"),
            "product_type": "private-car",
            "ride_type": "compact",
            "departure_time": str(int(time.time()) + 1800),
        }
        if "FAREPROOF_IMEI" in os.environ:
            query["imei"] = os.environ["FAREPROOF_IMEI"]
        try:
            for record in estimate(tokens, query):
                print(f"{record['product_type']}: {record['estimate_price'] / 100:.2f} CNY")
                for option in record.get("carpool_info", []):
                    seats = option.get("seat", "any number of")
                    print(f"  shared, {seats} seats: {option['estimate_price'] / 100:.2f} CNY")
        except Failed as error:
            print(error, file=sys.stderr)
        except Banned:
            sys.exit("banned: three token requests were refused in a row")


if __name__ == "__main__":
    main()
