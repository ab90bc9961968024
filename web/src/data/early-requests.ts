declare global {
  interface Window {
    begun?: Record<string, Promise<Response>>;
  }
}

/** Returns once the response to a request that the first lines of index.html have sent, if there is one. */
export function takeEarlyResponse(url: string): Promise<Response> | undefined {
  const answer = window.begun?.[url];
  if (window.begun) delete window.begun[url];
  return answer;
}

/** Responses that the start did not use would be outdated later. */
export function dropEarlyResponses(): void {
  delete window.begun;
}
