declare global {
  interface Window {
    begun?: Record<string, Promise<Response>>;
  }
}

/** An answer that the page's first lines asked for beside the program (index.html): for who comes first, once. */
export function takeBegun(url: string): Promise<Response> | undefined {
  const answer = window.begun?.[url];
  if (window.begun) delete window.begun[url];
  return answer;
}

/** What nobody took at the start is not for later: it grows old. */
export function dropBegun(): void {
  delete window.begun;
}
