import "./yahoo-credit.css";

/** Names whose key phrases are among the tags, in the words and with the link that its terms ask for. */
export function YahooCredit() {
  return (
    <p className="yahoo-credit">
      <a
        className="underline"
        href="https://developer.yahoo.co.jp/sitemap/"
        target="_blank"
        rel="noopener noreferrer"
      >
        Web Services by Yahoo! JAPAN
      </a>
    </p>
  );
}
