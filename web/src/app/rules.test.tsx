import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Rule } from "@/data/rules";
import { defaults } from "@/data/settings";
import { openApp } from "@/testing/app";
import { aBeginning } from "@/testing/fixtures";
import { problem } from "@/testing/server";

const aRule = (name: string): Rule => ({
  id: `r-${name}`,
  name,
  isEnabled: true,
  feeds: [],
  folders: [],
  match: "all",
  conditions: [{ field: "title", mode: "any", isNegated: false, words: [name] }],
  actions: [{ type: "star" }],
  stop: false,
});

/** Opens an address on a server that keeps rules under a revision. */
function openRules(path: string, language: "en" | "ja", begun: readonly Rule[]) {
  let kept = { rules: [...begun], revision: "1" };
  const { calls } = openApp(path, {
    "GET /api/me": { body: { ...aBeginning(), preferences: { ...defaults, language } } },
    "GET /api/rules": () => ({ body: kept }),
    "PUT /api/rules": ({ body }) => {
      const sent = body as typeof kept;
      if (sent.revision !== kept.revision) return problem(409, "rules_changed", "validation");
      kept = { rules: sent.rules, revision: String(Number(kept.revision) + 1) };
      return { body: kept };
    },
    "POST /api/rules/dry-run": problem(400, "bad_regexp", "validation", {
      details: [{ field: "conditions[0].pattern", message: "Character 6: missing )" }],
    }),
    "GET /api/webhooks": {
      body: {
        webhooks: [
          {
            id: "7",
            url: "https://ntfy.example/notes",
            format: "ntfy",
            isEnabled: true,
            events: ["sent"],
          },
          {
            id: "8",
            url: "https://other.example",
            format: "ruri",
            isEnabled: true,
            events: ["new"],
          },
        ],
      },
    },
    "GET /api/hidden": { body: { items: [], nextCursor: null } },
  });
  return {
    kept: () => kept.rules,
    order: () => kept.rules.map(({ name }) => name).join(" "),
    saves: () => calls.filter(({ route }) => route === "PUT /api/rules").length,
  };
}

it("puts rules in order, switches them off and deletes them, each with undo", async () => {
  const { kept, order, saves } = openRules("/rules", "en", ["one", "two", "three"].map(aRule));
  const user = userEvent.setup();
  const hasFocus = () => waitFor(() => expect(document.activeElement).not.toBe(document.body));
  await user.click(await screen.findByRole("button", { name: "Move down: one" }));
  await waitFor(() => expect(order()).toBe("two one three"));
  await hasFocus();

  await user.click(screen.getByLabelText("two: on"));
  await screen.findByText("two turned off");
  await waitFor(() => expect(kept()[0]?.isEnabled).toBe(false));
  await user.keyboard("z");
  await waitFor(() => expect(kept()[0]?.isEnabled).toBe(true));

  screen.getByRole("button", { name: "Delete: one" }).focus();
  await user.keyboard("{Enter}");
  await screen.findByText("one deleted");
  await waitFor(() => expect(order()).toBe("two three"));
  await hasFocus();
  await user.keyboard("z");
  await waitFor(() => expect(order()).toBe("two one three"));
  expect(saves()).toBe(5);
});

it.each([
  {
    language: "en",
    save: "Save",
    words: "Enter the text to match.",
    action: "Select at least one action.",
    match: "Condition 1: match",
    star: "Add star",
    preview: "Preview",
    cancel: "Cancel",
    unsaved: "Rule not saved",
  },
  {
    language: "ja",
    save: "保存",
    words: "条件の語句を入力してください。",
    action: "動作を1つ以上選択してください。",
    match: "条件1: 一致方法",
    star: "スターを付ける",
    preview: "プレビュー",
    cancel: "キャンセル",
    unsaved: "ルールを保存していません",
  },
] as const)(
  "complains beside the fields, and brings an unsaved rule back ($language)",
  async (says) => {
    const { kept, saves } = openRules("/rules?edit=new", says.language, []);
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: says.save }));
    await screen.findByText(says.words);
    screen.getByText(says.action);
    const field = () => {
      const box = document.querySelector<HTMLInputElement>(".conditions input");
      if (!box) throw new Error("no condition");
      return box;
    };
    await waitFor(() => expect(document.activeElement).toBe(field()));
    expect(field().getAttribute("aria-invalid")).toBe("true");

    await user.selectOptions(screen.getByLabelText(says.match), "regexp");
    await user.type(field(), "(open");
    await user.click(screen.getByLabelText(says.star));
    await user.click(screen.getByRole("button", { name: says.preview }));
    const condition = field().closest("li");
    if (!condition) throw new Error("no condition");
    await within(condition).findByText("Character 6: missing )");

    await user.click(screen.getByRole("button", { name: says.cancel }));
    await screen.findByText(says.unsaved);
    await user.keyboard("z");
    await waitFor(() => expect(field().value).toBe("(open"));
    expect([kept(), saves()]).toEqual([[], 0]);
  },
);

it("keeps where a rule sends articles, and takes it away", async () => {
  const rule: Rule = {
    ...aRule("one"),
    actions: [{ type: "star" }, { type: "send", webhookId: "7" }],
  };
  const { kept } = openRules("/rules?edit=r-one", "en", [rule]);
  const user = userEvent.setup();
  const target = await screen.findByLabelText("Send to ntfy (ntfy.example)");
  expect((target as HTMLInputElement).checked).toBe(true);
  expect(screen.queryByLabelText(/other.example/), "it is not for what one sends").toBeNull();
  await user.type(screen.getByLabelText("Name (optional)"), "!");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(kept()[0]?.name).toBe("one!"));
  expect(kept()[0]?.actions).toEqual(rule.actions);
});
