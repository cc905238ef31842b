import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * JSON for the example client, since Java's standard library has none. In a real client, use Jackson or Gson.
 */
final class Json {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Writes an object of texts. */
    static String write(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(field -> quote(field.getKey()) + ":" + quote(field.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char character : text.toCharArray()) {
            if (character == '"' || character == '\\') quoted.append('\\').append(character);
            else if (character < ' ') quoted.append(String.format("\\u%04x", (int) character));
            else quoted.append(character);
        }
        return quoted.append('"').toString();
    }

    /**
     * Reads a text: objects are maps, arrays lists, numbers BigDecimal.
     *
     * @throws IllegalArgumentException if it is not JSON
     */
    static Object read(String text) {
        try {
            Json json = new Json(text);
            Object value = json.value();
            json.skipBlanks();
            if (json.at < text.length()) throw json.problem();
            return value;
        } catch (StringIndexOutOfBoundsException error) {
            throw new IllegalArgumentException("JSON ends too early", error);
        }
    }

    private Object value() {
        skipBlanks();
        switch (text.charAt(at)) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            default:
                break;
        }
        for (Object word : new Object[] {true, false, null}) {
            if (text.startsWith(String.valueOf(word), at)) {
                at += String.valueOf(word).length();
                return word;
            }
        }
        Matcher number = NUMBER.matcher(text).region(at, text.length());
        if (!number.lookingAt()) throw problem();
        at = number.end();
        return new BigDecimal(number.group());
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        if (skips('}')) return fields;
        do {
            skipBlanks();
            String name = string();
            if (!skips(':')) throw problem();
            fields.put(name, value());
        } while (skips(','));
        if (!skips('}')) throw problem();
        return fields;
    }

    private List<Object> array() {
        List<Object> values = new ArrayList<>();
        at++;
        if (skips(']')) return values;
        do values.add(value());
        while (skips(','));
        if (!skips(']')) throw problem();
        return values;
    }

    private String string() {
        if (text.charAt(at++) != '"') throw problem();
        StringBuilder read = new StringBuilder();
        while (text.charAt(at) != '"') {
            char character = text.charAt(at++);
            if (character != '\\') {
                read.append(character);
                continue;
            }
            char escaped = text.charAt(at++);
            int known = "\"\\/bfnrt".indexOf(escaped);
            if (known >= 0) {
                read.append("\"\\/\b\f\n\r\t".charAt(known));
            } else if (escaped == 'u') {
                read.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                throw problem();
            }
        }
        at++;
        return read.toString();
    }

    private boolean skips(char character) {
        skipBlanks();
        if (text.charAt(at) != character) return false;
        at++;
        return true;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at++;
    }

    private IllegalArgumentException problem() {
        return new IllegalArgumentException("not JSON at character " + at);
    }
}
