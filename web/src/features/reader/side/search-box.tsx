import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Bookmark, Folder, History, Search, SearchX, X } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { toApiError } from "@/data/api-error";
import { useFeeds } from "@/data/feeds";
import { useMe } from "@/data/me";
import { forgetSearches, rememberSearch, useRecentSearches } from "@/data/recent-searches";
import type { ReaderRoute, Stream } from "@/data/routes";
import { useSearched, useSearches } from "@/data/searches";
import { streamQuery } from "@/data/stream";
import { useKnownTree } from "@/data/tree";
import { go, goInPlace } from "@/data/use-route";
import { errorText } from "@/i18n/error-text";
import { textLang } from "@/i18n/text-lang";
import { FeedIcon } from "@/ui/feed-icon";
import { withKey } from "@/ui/icon-button";
import { isOnScreen } from "./cycle-panes";
import { type Suggestion, searchPath, suggest } from "./suggestions";

/** Focuses the search box that is visible; false when there is none. */
export function focusSearch(): boolean {
  const boxes = [...document.querySelectorAll<HTMLInputElement>(".search-box input")];
  const box = boxes.find(isOnScreen);
  box?.focus();
  box?.select();
  return box !== undefined;
}

/** A pause this long in typing asks for titles, in milliseconds. */
const pause = 120;

/** The box for searches, with what it can suggest. A pause in typing looks for titles, Enter searches everything. */
export function SearchBox({ route }: { route: ReaderRoute }) {
  const { t } = useLingui();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const user = useMe().data?.user.id;
  const shown = useSearched(route)?.q ?? "";
  const [text, setText] = useState(shown);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const wrong = useRefusal(route);

  // The box shows what the list was searched for, unless that was typed here: more may follow already.
  const typed = useRef(shown);
  useEffect(() => {
    if (shown !== typed.current) setText(shown);
    typed.current = shown;
  }, [shown]);
  const typing = useRef(0);
  const latest = useRef(route);
  latest.current = route;
  useEffect(() => () => clearTimeout(typing.current), []);
  const lookFor = (text: string) => {
    const { stream, filter } = latest.current;
    const q = isShort(text) ? "" : text.trim();
    const isTyped = stream.kind === "search" && stream.isTyped === true;
    if (stream.kind === "search" ? q === stream.q || (q === "" && !isTyped) : q === "") return;
    typed.current = q;
    const path = searchPath(q, stream, filter, true);
    if (isTyped || isNothing(stream)) goInPlace(path);
    else go(path);
  };
  const lookLater = (text: string) => {
    clearTimeout(typing.current);
    typing.current = window.setTimeout(lookFor, pause, text);
  };
  const isAsked = isNothing(route.stream);
  useEffect(() => {
    if (isAsked && field.current && isOnScreen(field.current)) field.current.focus();
  }, [isAsked]);

  const entries = useSuggestions(isOpen, text, route);
  const hasRecent = entries.some(({ kind }) => kind === "recent");
  // The last entry clears the recent searches.
  const count = entries.length + (hasRecent ? 1 : 0);
  const isShown = isOpen && count > 0;

  const search = (q: string, href: string) => {
    clearTimeout(typing.current);
    setOpen(false);
    setAt(-1);
    rememberSearch(user, q);
    setText(q);
    typed.current = q;
    if (route.stream.kind === "search" && route.stream.isTyped) goInPlace(href);
    else go(href);
    focusList();
  };
  const submit = () => {
    const q = text.trim();
    if (q !== "") search(q, searchPath(q, route.stream, route.filter));
  };
  const choose = (index: number) => {
    const entry = entries[index];
    if (!entry) {
      forgetSearches();
      setAt(-1);
      field.current?.focus();
    } else if ("q" in entry) search(entry.q, entry.href);
    else {
      setOpen(false);
      setText(shown);
      go(entry.href);
      focusList();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the input of an input method; Safari ends the composition before it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setOpen(true);
      // One step beyond the entries is the field itself.
      setAt(isShown ? ((at + 1 + step + count + 1) % (count + 1)) - 1 : -1);
    } else if (event.key === "Enter") {
      if (isShown && at >= 0) choose(at);
      else submit();
    } else if (event.key === "Escape") {
      if (isShown) {
        setOpen(false);
        setAt(-1);
      } else {
        clearTimeout(typing.current);
        setText(shown);
        focusList();
      }
    } else return;
    event.preventDefault();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: screen readers know the role better than the element
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (currentTarget.contains(relatedTarget)) return;
        setOpen(false);
        setAt(-1);
      }}
    >
      <div className="search-field">
        <Search />
        <input
          ref={field}
          type="text"
          enterKeyHint="search"
          role="combobox"
          aria-label={t`Search articles`}
          placeholder={t`Search`}
          title={withKey(t`Search articles`, "search")}
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
          aria-invalid={wrong !== "" || undefined}
          aria-describedby={`${id}-wrong`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={1000}
          value={text}
          onFocus={() => setOpen(isShort(text))}
          onClick={() => setOpen(isShort(text))}
          onChange={({ target: { value }, nativeEvent }) => {
            setText(value);
            // From then on the list has the answer; the arrows open suggestions still.
            setOpen(isShort(value));
            setAt(-1);
            if (!(nativeEvent as InputEvent).isComposing) lookLater(value);
          }}
          onCompositionEnd={({ currentTarget }) => lookLater(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {text !== "" && (
          <button
            type="button"
            className="icon-btn"
            aria-label={t`Clear search`}
            title={t`Clear search`}
            onClick={() => {
              setText("");
              lookLater("");
              field.current?.focus();
            }}
          >
            <X />
          </button>
        )}
      </div>
      <p id={`${id}-wrong`} className="wrong empty:hidden" role="alert">
        {wrong}
      </p>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={t`Suggestions`}
        className="search-list options"
        hidden={!isShown}
        // The field keeps the focus.
        onPointerDown={(event) => event.preventDefault()}
      >
        {isShown &&
          entries.map((entry, index) => (
            <Option
              key={`${entry.kind} ${entry.href}`}
              id={`${id}-${index}`}
              isChosen={index === at}
              onPoint={() => setAt(index)}
              onChoose={() => choose(index)}
            >
              <Entry entry={entry} />
            </Option>
          ))}
        {isShown && hasRecent && (
          <Option
            id={`${id}-${entries.length}`}
            isChosen={at === entries.length}
            onPoint={() => setAt(entries.length)}
            onChoose={() => choose(entries.length)}
          >
            <SearchX />
            <span className="name">
              <Trans>Clear recent searches</Trans>
            </span>
          </Option>
        )}
      </div>
    </form>
  );
}

/** Too short to be looked for before Enter. */
function isShort(text: string): boolean {
  return Array.from(text.trim()).length < 2;
}

/** A search for which nothing has been typed yet. */
function isNothing(stream: Stream): boolean {
  return stream.kind === "search" && stream.q === "";
}

/** Computed only while they are shown. */
function useSuggestions(isOpen: boolean, text: string, route: ReaderRoute): Suggestion[] {
  const user = useMe().data?.user.id;
  const recent = useRecentSearches(user);
  const saved = useSearches();
  const feeds = useFeeds().data?.feeds;
  const { folders } = useKnownTree();
  const { stream, filter } = route;
  return useMemo(() => {
    if (!isOpen) return [];
    return suggest(text, { recent, saved, feeds: feeds ?? [], folders }, stream, filter);
  }, [isOpen, text, recent, saved, feeds, folders, stream, filter]);
}

/** Why the server refused the search, in its words; empty where it did not. */
function useRefusal({ stream, filter }: ReaderRoute): string {
  const { i18n } = useLingui();
  const { error } = useInfiniteQuery({ ...streamQuery(stream, filter), enabled: false });
  if (!error || stream.kind !== "search" || stream.isTyped) return "";
  const known = toApiError(error);
  const { status } = known;
  return status >= 400 && status < 500 && status !== 401 ? errorText(known, i18n).message : "";
}

/** The focus goes to the results, as keys are meant for them now. */
function focusList(): void {
  const row = document.querySelector<HTMLElement>('.list-pane .row[tabindex="0"]');
  (row ?? document.querySelector<HTMLElement>(".list-pane h1"))?.focus({ preventScroll: true });
}

interface OptionProps {
  id: string;
  isChosen: boolean;
  onPoint: () => void;
  onChoose: () => void;
  children: ReactNode;
}

function Option({ id, isChosen, onPoint, onChoose, children }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
    <div id={id} role="option" aria-selected={isChosen} onPointerMove={onPoint} onClick={onChoose}>
      {children}
    </div>
  );
}

function Entry({ entry }: { entry: Suggestion }) {
  const { t, i18n } = useLingui();
  const { kind, name } = entry;
  const notes = {
    recent: t`Recent`,
    saved: t`Saved search`,
    folder: t`Folder`,
    feed: t`Feed`,
  };
  return (
    <>
      {kind === "feed" ? <FeedIcon url={entry.feed.iconUrl} name={name} /> : icons[kind]}
      <span className="name" dir="auto" lang={textLang("", name, i18n.locale)}>
        {name}
      </span>
      {notes[kind] && <span className="note-text">{notes[kind]}</span>}
    </>
  );
}

const icons = {
  recent: <History />,
  saved: <Bookmark />,
  folder: <Folder />,
};
