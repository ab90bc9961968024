import type { I18n, MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ApiError } from "@/data/api-error";

/** What the person reads: the server's codes in the words of UI.md, in both languages. */
export interface Words {
  says: MessageDescriptor;
  remedy: MessageDescriptor | null;
}

const later = msg`It is tried again by itself.`;
const checkUrl = msg`Check the address, or look for the feed on the site.`;
const tryAgain = msg`Try again.`;

const anotherWay = msg`Try again, or sign in another way.`;

const words: Record<string, Words> = {
  unreachable: {
    says: msg`The reader cannot be reached. Nothing was changed.`,
    remedy: msg`Check the connection and try again.`,
  },
  not_saved: {
    says: msg`You are offline, and this is not saved on this device.`,
    remedy: msg`It comes by itself when you are online again.`,
  },
  not_searched: {
    says: msg`You are offline. Feeds can only be looked for with a connection.`,
    remedy: msg`Try again when you are online.`,
  },
  not_signed_in: { says: msg`Your sign-in has expired.`, remedy: msg`Sign in again.` },
  wrong_login: { says: msg`The e-mail address or the password is not right.`, remedy: null },
  sign_in_expired: {
    says: msg`This sign-in took too long, or was begun in another window.`,
    remedy: msg`Begin again.`,
  },
  sign_in_again: {
    says: msg`For this you must have signed in a moment ago.`,
    remedy: msg`Sign in again.`,
  },
  no_provider: {
    says: msg`This reader does not offer this way to sign in.`,
    remedy: anotherWay,
  },
  provider_unavailable: {
    says: msg`The sign-in service does not answer at the moment.`,
    remedy: anotherWay,
  },
  provider_denied: {
    says: msg`The sign-in service said no, or you cancelled there.`,
    remedy: anotherWay,
  },
  provider_refused: {
    says: msg`The answer of the sign-in service could not be checked.`,
    remedy: msg`Begin again.`,
  },
  failed: {
    says: msg`The sign-in did not work.`,
    remedy: tryAgain,
  },
  email_unverified: {
    says: msg`The sign-in service does not confirm your e-mail address.`,
    remedy: msg`Have it verified there first.`,
  },
  email_taken: {
    says: msg`There is already a user with this e-mail address.`,
    remedy: msg`Sign in as you always do.`,
  },
  identity_taken: {
    says: msg`This sign-in belongs to another user of this reader.`,
    remedy: anotherWay,
  },
  identity_limit: {
    says: msg`You have linked as many sign-ins as you may.`,
    remedy: msg`Remove one first.`,
  },
  sign_up_closed: {
    says: msg`This reader takes no new users without an invitation.`,
    remedy: msg`Ask its owner for an invitation.`,
  },
  sign_up_refused: {
    says: msg`It was not possible to sign up with this e-mail address.`,
    remedy: msg`If you have an account here, sign in.`,
  },
  invitation_not_valid: {
    says: msg`This invitation has been used, was withdrawn, or is too old.`,
    remedy: msg`Ask its owner for a new one.`,
  },
  bad_password: {
    says: msg`A password has 8 to 256 characters.`,
    remedy: msg`Choose another one.`,
  },
  bad_email: {
    says: msg`This is not an e-mail address.`,
    remedy: msg`Correct it.`,
  },
  passkey_cancelled: {
    says: msg`No passkey was used.`,
    remedy: anotherWay,
  },
  passkey_refused: {
    says: msg`This passkey was not accepted.`,
    remedy: anotherWay,
  },
  passkey_unavailable: {
    says: msg`Passkeys do not work at this address.`,
    remedy: anotherWay,
  },
  too_many_logins: {
    says: msg`There were too many tries to sign in.`,
    remedy: msg`Wait a little and try again.`,
  },
  rate_limited: { says: msg`Please wait a little.`, remedy: tryAgain },
  subscription_limit: {
    says: msg`You have as many subscriptions as your account allows.`,
    remedy: msg`Unsubscribe from a feed to make room.`,
  },
  host_busy: {
    says: msg`The crawler is visiting this site at the moment.`,
    remedy: msg`Try again in half a minute.`,
  },
  feed_not_found: {
    says: msg`You are not subscribed to this feed.`,
    remedy: msg`Choose another one.`,
  },
  item_not_found: {
    says: msg`This item is no longer kept, or never existed.`,
    remedy: msg`Go back to the list.`,
  },
  dead_letter_not_found: { says: msg`This message was dealt with already.`, remedy: null },
  owner_only: {
    says: msg`Only the owner of this reader may do this.`,
    remedy: msg`Sign in as the owner.`,
  },
  queue_unavailable: { says: msg`The queue does not answer at the moment.`, remedy: tryAgain },
  storage_full: {
    says: msg`The disk is full. Nothing was lost, but nothing new can be stored.`,
    remedy: msg`Make room on the disk.`,
  },
  storage_unavailable: { says: msg`The storage does not answer at the moment.`, remedy: later },
  row_too_large: { says: msg`The items of this feed are larger than can be stored.`, remedy: null },
  cross_origin: {
    says: msg`The server took this for a request from another site.`,
    remedy: msg`Reload the page.`,
  },
  bad_url: {
    says: msg`This is not an address of the web (http or https).`,
    remedy: msg`Check the spelling.`,
  },
  dns_failure: {
    says: msg`There is no site of this name.`,
    remedy: msg`Check the spelling of the address.`,
  },
  connection_refused: { says: msg`The site refused the connection.`, remedy: later },
  connection_reset: { says: msg`The site broke off the connection.`, remedy: later },
  network_unreachable: { says: msg`The site cannot be reached.`, remedy: later },
  timeout: { says: msg`The site did not answer in time.`, remedy: later },
  tls_failure: { says: msg`There is a problem with the site's certificate.`, remedy: later },
  truncated_body: {
    says: msg`The connection ended before the whole feed had arrived.`,
    remedy: later,
  },
  bad_encoding: { says: msg`The site sent data that cannot be unpacked.`, remedy: later },
  bad_response: { says: msg`The site's answer cannot be understood.`, remedy: later },
  http_401: {
    says: msg`The site wants a name and a password for this feed (401).`,
    remedy: msg`Use an address with a personal key, if you have one.`,
  },
  http_403: {
    says: msg`The site refused access (403).`,
    remedy: msg`Open the address in a browser; if it works there, try to resume the feed.`,
  },
  http_404: {
    says: msg`The feed is gone from this address (404).`,
    remedy: msg`Look for the new address on the site.`,
  },
  http_410: {
    says: msg`The publisher has removed this feed for good (410).`,
    remedy: msg`Unsubscribe; what you starred is kept.`,
  },
  http_429: {
    says: msg`The site asks to be visited less often (429).`,
    remedy: msg`Nothing to do: the next visit waits as long as the site asked.`,
  },
  http_5xx: { says: msg`The site has trouble of its own.`, remedy: later },
  http_other: { says: msg`The site answered in a way a feed should not.`, remedy: checkUrl },
  redirect_loop: { says: msg`The address leads round in a circle.`, remedy: checkUrl },
  too_many_redirects: {
    says: msg`The address leads on to other addresses too often.`,
    remedy: checkUrl,
  },
  not_a_feed: { says: msg`What is at this address is not a feed.`, remedy: checkUrl },
  no_feed_found: { says: msg`No feed was found there.`, remedy: checkUrl },
  html_page: { says: msg`At this address is a web page without a feed.`, remedy: checkUrl },
  empty_body: { says: msg`The site sent an empty answer instead of a feed.`, remedy: later },
  truncated: {
    says: msg`The feed broke off in the middle; the items that had arrived were kept.`,
    remedy: later,
  },
  bad_xml: { says: msg`The form of the feed is broken (XML).`, remedy: later },
  bad_json: { says: msg`The form of the feed is broken (JSON).`, remedy: later },
  too_deep: { says: msg`The feed is nested deeper than any real feed.`, remedy: null },
  blocked_address: {
    says: msg`This reader does not go to that address (private network).`,
    remedy: msg`Use a public address.`,
  },
  blocked_port: {
    says: msg`This reader does not visit that port.`,
    remedy: msg`Use an address with a usual port.`,
  },
  too_large: { says: msg`The feed is larger than 5 MB.`, remedy: null },
  stopped_parse: {
    says: msg`Ten times in a row this could not be read as a feed.`,
    remedy: msg`Open the address in a browser, then resume or unsubscribe.`,
  },
  stopped_errors: {
    says: msg`For more than a week this feed could not be fetched.`,
    remedy: msg`Open the address in a browser, then resume or unsubscribe.`,
  },
  not_opml: {
    says: msg`This file is not OPML.`,
    remedy: msg`Export the subscriptions as OPML in your other reader, and choose that file.`,
  },
  opml_empty: { says: msg`This file is empty.`, remedy: msg`Choose another file.` },
  opml_malformed: {
    says: msg`This file is broken: its XML ends or breaks off in the middle.`,
    remedy: msg`Export it once more.`,
  },
  opml_truncated: {
    says: msg`This file is broken: its XML ends or breaks off in the middle.`,
    remedy: msg`Export it once more.`,
  },
  opml_entities: {
    says: msg`This file contains definitions that a list of subscriptions must not have.`,
    remedy: null,
  },
  opml_too_deep: { says: msg`The folders of this file are nested too deep.`, remedy: null },
  bad_folder: { says: msg`This name of a folder cannot be used.`, remedy: null },
  feed_stopped: { says: msg`This feed is stopped.`, remedy: msg`Resume it first.` },
  bad_undo: { says: msg`This can no longer be undone.`, remedy: null },
  bad_upload: { says: msg`The file did not arrive whole.`, remedy: tryAgain },
  no_address: { says: msg`This entry has no address of a feed.`, remedy: null },
  bad_address: {
    says: msg`This is not an address of the web (http or https).`,
    remedy: msg`Check the spelling.`,
  },
  commented: { says: msg`This entry is switched off in the file.`, remedy: null },
  include: {
    says: msg`This entry stands for another list, which is not fetched.`,
    remedy: msg`Import that list by itself.`,
  },
  over_limit: { says: msg`The file has more feeds than one import takes.`, remedy: null },
};

const byCategory: Record<string, Words> = {
  offline: words.unreachable as Words,
  auth: { says: msg`You may not do this.`, remedy: msg`Sign in again.` },
  validation: { says: msg`The server did not accept this.`, remedy: null },
  feed: { says: msg`The feed could not be fetched.`, remedy: later },
  network: { says: msg`The site cannot be reached.`, remedy: later },
  http: { says: msg`The site answered in a way a feed should not.`, remedy: checkUrl },
  parse: { says: msg`What is at this address is not a feed.`, remedy: checkUrl },
  storage: { says: msg`The feed could not be stored.`, remedy: later },
  policy: { says: msg`This reader does not go to that address.`, remedy: null },
  system: { says: msg`This is a fault of ours.`, remedy: tryAgain },
};

export function wordsFor(code: string, category: string): Words {
  return words[code] ?? byCategory[category] ?? (byCategory.system as Words);
}

/** What a request met, like the address of a feed to be added: unlike a subscription it is not tried again by itself. */
export function errorWords(error: ApiError): Words {
  const { says, remedy } = wordsFor(error.code, error.category);
  if (remedy === later || error.code === "http_429") return { says, remedy: tryAgain };
  if (error.code === "http_403" || error.code === "http_410") return { says, remedy: checkUrl };
  return { says, remedy };
}

/** What the person reads: our words, else the server's, which come in the language of the page. */
export function errorText(error: ApiError, i18n: I18n): { says: string; remedy: string } {
  const { message, action } = error.problem;
  if (!(error.code in words) && error.category !== "system" && error.status > 0 && message) {
    return { says: message, remedy: action ?? "" };
  }
  const { says, remedy } = errorWords(error);
  return { says: i18n._(says), remedy: remedy ? i18n._(remedy) : "" };
}

/** Codes of the feeds' own states that must have words; a test holds it against the server's list. */
export const knownCodes: readonly string[] = Object.keys(words);
