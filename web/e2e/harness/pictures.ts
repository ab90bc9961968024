import type { Page } from "playwright-core";

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="420"><rect width="640" height="420" fill="#89a"/></svg>';

/** Answers for the pictures of the publisher's feeds. */
export async function stubPictures(page: Page): Promise<void> {
  await page.route("https://pictures.example/**", (route) =>
    route.fulfill({ contentType: "image/svg+xml", body: picture }),
  );
}
