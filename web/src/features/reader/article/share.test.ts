import { describe, expect, it } from "vitest";
import { fillTemplate, hatenaUrl, isSharable, mailUrl, templateFault } from "./share";

const item = { title: "「読む」& 書く", link: "https://example.jp/1?a=b&c=d" };

describe("addresses to send an item to", () => {
  it("carry title and link whole", () => {
    const url = new URL(hatenaUrl(item));
    expect(url.host).toBe("b.hatena.ne.jp");
    expect(url.searchParams.get("url")).toBe(item.link);
    expect(url.searchParams.get("title")).toBe(item.title);
    const mail = new URLSearchParams(mailUrl(item).slice("mailto:?".length));
    expect(mail.get("subject")).toBe(item.title);
    expect(mail.get("body")).toBe(`${item.title}\n${item.link}\n`);
  });

  it("come of a template of one's own", () => {
    const filled = fillTemplate("https://keep.example/add?u={url}&t={title}", item);
    expect(new URL(filled).searchParams.get("u")).toBe(item.link);
    expect(new URL(filled).searchParams.get("t")).toBe(item.title);
  });

  it("do not read what they put in as a template again", () => {
    expect(fillTemplate("x:{title}", { title: "{url}", link: "l" })).toBe("x:%7Burl%7D");
  });
});

describe("templateFault", () => {
  it.each([
    ["https://keep.example/?u={url}", null],
    ["obsidian://new?content={url}", null],
    ["https://keep.example/{url}/{title}", null],
    ["https://keep.example/", "place"],
    ["keep.example/{url}", "address"],
    ["", "address"],
    ["javascript:alert('{url}')", "script"],
    ["data:text/html,{url}", "script"],
  ])("%s: %s", (template, fault) => {
    expect(templateFault(template)).toBe(fault);
  });
});

describe("isSharable", () => {
  it.each([
    ["https://example.jp/", true],
    ["http://example.jp/", true],
    ["javascript:alert(1)", false],
    ["", false],
  ])("%s: %s", (link, is) => {
    expect(isSharable(link)).toBe(is);
  });
});
